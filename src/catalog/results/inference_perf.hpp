#pragma once
// inference-perf's reports of a stage: *_lifecycle_metrics.json.

#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

BenchmarkResult read_inference_perf(const ResultFields& report);

/// Its view from the server (*_prometheus_metrics.json), which is refused: lengths there are sums over a window.
bool is_prometheus_report(const ResultFields& report);

}  // namespace ridge::catalog
