#pragma once
// vllm bench serve, throughput and latency; sglang.bench_serving, bench_one_batch and bench_offline_throughput: JSON
// objects, one a file or one a line.

#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

BenchmarkResult read_vllm_serve(const ResultFields& run);
BenchmarkResult read_vllm_throughput(const ResultFields& run);
BenchmarkResult read_vllm_latency(const ResultFields& run);
BenchmarkResult read_sglang_serving(const ResultFields& run);
BenchmarkResult read_sglang_one_batch(const ResultFields& run);
BenchmarkResult read_sglang_offline(const ResultFields& run);

/// "trt" and "tensorrt-llm" are trtllm; names of a protocol ("openai-chat") are no engine.
std::string engine_word(std::string_view word);

}  // namespace ridge::catalog
