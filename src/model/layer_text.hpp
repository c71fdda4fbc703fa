#pragma once
// The fields of a layer as keys and values: what the catalog writes, what two models are compared by.

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/model.hpp"

namespace ridge {

std::string_view name_of(Use use);

using FieldTexts = std::vector<std::pair<std::string, std::string>>;

/// "attention.query_heads" -> "128". Fields that have their default are left out.
FieldTexts fields_of(const Layer& layer);

/// The same layer in every respect but its name.
bool alike(const Layer& a, const Layer& b);

/// "3 dense, 58 expert"; "15 (3 linear, full)" where a group repeats.
std::string order_text(const Model& model, const std::vector<std::size_t>& order);

/// The reverse. Unknown names, more than 10,000 layers and anything else are errors at `where`.
Result<std::vector<std::size_t>> parse_order(std::string_view text, const std::vector<Layer>& kinds,
                                             std::string_view where);

}  // namespace ridge
