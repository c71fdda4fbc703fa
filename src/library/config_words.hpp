#pragma once
// Words of the files that models come in (catalog/config_keys.toml, catalog/config_names.toml): which keys say how a
// model is built, which of them need not be read and why, and what is known here under another name.

#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// Words that make a key sound like structure, or keys that do not matter.
struct ConfigKeys {
  std::string name;
  std::vector<std::string> words;
  std::vector<std::string> keys;   // a * stands for any characters
  std::vector<std::string> where;  // "KEY" or "KEY = VALUE": one of them must hold; empty: the keys never matter
  std::string reason;
};

/// One meaning, and what else it is called.
struct ConfigName {
  std::string name;
  std::string of;     // "layer_type", "quant_method", ...
  std::string means;  // the word that this program knows
  std::vector<std::string> names;
};

struct ConfigWords {
  std::vector<ConfigKeys> keys;
  std::vector<ConfigName> names;

  /// What a word means where an `of` stands; the word itself where nothing else is said.
  std::string meaning(std::string_view of, std::string_view word) const;
  /// Whether a key sounds like structure by the words of this group ("structure", "quantization").
  bool sounds_like(std::string_view group, std::string_view key) const;
};

/// "num_keyValue.heads" -> num, key, value, heads.
std::vector<std::string> words_in_key(std::string_view key);

/// Whether a text matches a pattern in which * stands for any characters.
bool matches_glob(std::string_view text, std::string_view pattern);

}  // namespace ridge
