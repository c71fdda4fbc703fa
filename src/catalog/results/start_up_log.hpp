#pragma once
// Memory in the logs of engines that start: vLLM (all wordings since 0.6), SGLang, TensorRT-LLM.

#include <string_view>
#include <vector>

#include "calibrate/evidence/benchmark_result.hpp"

namespace ridge::catalog {

/// One result for each start in the log; none where it says nothing of weights and KV cache.
std::vector<BenchmarkResult> read_start_up(std::string_view text);

}  // namespace ridge::catalog
