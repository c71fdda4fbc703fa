#pragma once
// A sweep's file and the library together: what its cases are.

#include "catalog/sweep_file.hpp"
#include "search/chalk_sweep.hpp"
#include "search/serving_sweep.hpp"

namespace ridge::catalog {

/// The combinations of words, resolved. A name nobody knows is an error; a combination that is not possible becomes
/// rows with a problem, unless all are.
Result<ChalkSweep> chalk_sweep(const SweepFile& file, const Library& library, std::vector<SweepColumn> columns);

/// The library stays with the caller, and outlives the sweep.
Result<ServingSweep> serving_sweep(const SweepFile& file, const Library& library, std::vector<SweepColumn> columns);

}  // namespace ridge::catalog
