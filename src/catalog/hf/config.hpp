#pragma once
// A Hugging Face config.json to a model: exact, or refused by name.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/json/json_value.hpp"
#include "library/config_words.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// --assume TYPE=KIND: the user's own word for a layer type or model type this program does not know; KEY=ignored for a
/// key that it does not know.
using Assumptions = std::map<std::string, std::string, std::less<>>;

struct ReadModel {
  Model model;                                 // with its remarks: defaults taken, assumptions made
  std::vector<std::string> unread;             // keys that were there and not needed
  std::map<std::string, Error> unneeded = {};  // assumptions that this file had no use for, and why
};

/// A config that another reader wrote has no keys that its file does not: that reader judges those.
enum class Keys { of_the_file, translated };

Result<ReadModel> read_hf_config(const JsonValue& root, std::string_view place, const ConfigWords& words,
                                 const Assumptions& assumptions = {}, Keys keys = Keys::of_the_file);

}  // namespace ridge::catalog
