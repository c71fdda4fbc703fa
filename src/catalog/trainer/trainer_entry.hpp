#pragma once
// Training frameworks of the catalog (catalog/trainer): few commands need them, so they are read apart, like recipes.

#include <vector>

#include "base/result.hpp"
#include "catalog/facts/entry.hpp"
#include "train/command/trainer.hpp"

namespace ridge::catalog {

Trainer read_trainer(Entry& entry);

/// In the order in which they are shown.
Result<std::vector<Trainer>> trainers(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
