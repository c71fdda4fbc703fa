#pragma once
// What is checked of every benchmark result, whichever tool wrote it: does it add up, is it one steady load, what is
// missing.

#include "calibrate/evidence/benchmark_result.hpp"

namespace ridge::catalog {

/// Whether a stated number is the one counted from others, but for rounding.
bool adds_up(double stated, double counted);

/// Fills what follows from the rest (requests in flight by Little's law, failed requests), and says in words what is
/// missing, what to know, and what is wrong.
void check_result(BenchmarkResult& result);

/// The same for the results of one file together: a mixture of engines, versions or models is said of each.
void check_together(std::vector<BenchmarkResult>& results);

}  // namespace ridge::catalog
