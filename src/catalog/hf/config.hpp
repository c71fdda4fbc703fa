#pragma once
// A Hugging Face config.json to a model: exact, or refused by name.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/json/json_value.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// --assume TYPE=KIND: the user's own word for a layer type or model type this program does not know.
using Assumptions = std::map<std::string, std::string, std::less<>>;

struct ReadModel {
  Model model;                      // with its remarks: defaults taken, assumptions made
  std::vector<std::string> unread;  // keys that were there and not needed
};

Result<ReadModel> read_hf_config(const JsonValue& root, std::string_view place, const Assumptions& assumptions = {});

}  // namespace ridge::catalog
