#pragma once
// Training recipes of the catalog (catalog/recipe): few commands need them, so they are read apart, like price sheets.

#include <vector>

#include "base/numbers_entry.hpp"
#include "base/result.hpp"
#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

Result<std::vector<NumbersEntry>> recipes(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
