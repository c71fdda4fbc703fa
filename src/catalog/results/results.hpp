#pragma once
// Result files of benchmark tools, as people have them: what wrote a file is told from what stands in it, never from its
// name. docs/results.md lists the tools.

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "calibrate/evidence/benchmark_result.hpp"

namespace ridge::catalog {

/// Every result in a text, checked (result_checks.hpp). What is no result of a known tool is an error that says why.
Result<std::vector<BenchmarkResult>> read_results(std::string_view text, std::string_view place);

}  // namespace ridge::catalog
