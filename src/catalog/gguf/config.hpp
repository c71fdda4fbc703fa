#pragma once
// GGUF's words for a model put into Hugging Face's: one reader of configs serves both.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/gguf/gguf.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

/// An object like config.json, under the keys which the family's own config has. What the metadata leave out (tying,
/// biases, the vocabulary, widths) is read from the tensors; so the parts of a split model must be joined first.
/// Sizes that differ between layers are lists, one number a layer.
/// The names of all keys that were asked for go to `asked`.
Result<JsonValue> config_from_gguf(const GgufHeader& header, std::string_view place,
                                   std::set<std::string>* asked = nullptr);

/// The architectures that can be translated, as general.architecture spells them.
std::vector<std::string> gguf_architectures();

}  // namespace ridge::catalog
