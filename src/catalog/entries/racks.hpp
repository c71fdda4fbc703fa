#pragma once
// Racks from catalog/rack: one file a machine.

#include <vector>

#include "base/result.hpp"
#include "catalog/facts/fact.hpp"
#include "machine/rack.hpp"

namespace ridge::catalog {

Result<std::vector<RackFacts>> read_racks(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
