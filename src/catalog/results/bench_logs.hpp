#pragma once
// Results that programs print: the console of vllm bench serve and sglang.bench_serving, logs of trtllm-bench, MLPerf's
// summaries.

#include <string_view>

#include "base/result.hpp"
#include "calibrate/evidence/benchmark_result.hpp"

namespace ridge::catalog {

Result<BenchmarkResult> read_serving_console(std::string_view text, std::string_view place);
Result<BenchmarkResult> read_trtllm_bench(std::string_view text, std::string_view place);
Result<BenchmarkResult> read_mlperf(std::string_view text, std::string_view place);

}  // namespace ridge::catalog
