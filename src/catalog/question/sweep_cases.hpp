#pragma once
// A sweep's file and the library together: what its cases are.

#include "catalog/question/simulation_text.hpp"
#include "catalog/question/sweep_file.hpp"
#include "search/sweep/roofline_sweep.hpp"
#include "search/sweep/serving_sweep.hpp"
#include "search/sweep/simulation_sweep.hpp"

namespace ridge::catalog {

/// The combinations of words, resolved. A name nobody knows is an error; a combination that is not possible becomes
/// rows with a problem, unless all are.
Result<RooflineSweep> roofline_sweep(const SweepFile& file, const Library& library, std::vector<SweepColumn> columns);

/// The library stays with the caller, and outlives the sweep.
Result<ServingSweep> serving_sweep(const SweepFile& file, const Library& library, std::vector<SweepColumn> columns);

/// The same, and the clients of the catalog stay as well.
Result<SimulationSweep> simulation_sweep(const SweepFile& file, const Library& library,
                                         const std::vector<simulate::BenchmarkClient>& clients,
                                         std::vector<SweepColumn> columns);

}  // namespace ridge::catalog
