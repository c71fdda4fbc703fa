#pragma once
// Keys of a file that say how a model is built and that nobody has read: what is counted without them may be wrong.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/hf/config.hpp"
#include "library/config_words.hpp"

namespace ridge::catalog {

/// What was read of an object, and how its keys are judged.
struct KeyJudge {
  const ConfigWords& words;
  const std::set<std::string>& read;     // paths that somebody asked for
  const std::set<std::string>& settled;  // paths that are known, and decided by others
  std::string_view group;                // of words: "structure" or "quantization"
  std::string_view family = "";          // before the key where it is looked up: "quantization_config."
};

struct UnreadKey {
  std::string path;  // "text_config.num_shadow_heads"
  std::string key;   // "num_shadow_heads"
  std::string value;
};

/// Whether the catalog says that a key of this object does not matter.
bool is_harmless(const ConfigWords& words, std::string_view key, const JsonValue& object);

/// Those that are neither read, settled, harmless nor empty, objects inside included; `path` is the object's own.
std::vector<UnreadKey> unread_structure(const JsonValue& object, const std::string& path, const KeyJudge& judge);

/// One error a key, less those that the user says to ignore (KEY=ignored), whose names go to `used`.
Errors refuse_unread(const std::vector<UnreadKey>& keys, std::string_view place, const Assumptions& assumptions,
                     std::vector<std::string>& used);

/// The user's word for a key that shall not matter.
inline constexpr std::string_view kIgnored = "ignored";

}  // namespace ridge::catalog
