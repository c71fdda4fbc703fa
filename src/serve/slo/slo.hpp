#pragma once
// A service level objective: latencies that are promised, each at a percentile or as a mean.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/units.hpp"
#include "base/result.hpp"

namespace ridge {

enum class SloMetric { ttft, tpot, e2e };
std::string_view name_of(SloMetric metric);  // "TTFT"

/// Which of a metric's values: the mean, or the one that so many of a hundred requests stay below.
struct SloStatistic {
  double percentile = 99;  // 0: the mean

  bool is_mean() const { return percentile == 0; }
  bool operator==(const SloStatistic&) const = default;
};
std::string name_of(const SloStatistic& statistic);  // "p99", "mean"

struct SloTarget {
  SloMetric metric = SloMetric::ttft;
  SloStatistic statistic;
  Seconds<double> limit{};

  bool operator==(const SloTarget&) const = default;
};

/// "TTFT p99 <= 2 s"
std::string show(const SloTarget& target);
/// "SLO TTFT p99 <= 2 s, TPOT p99 <= 30 ms"; "no SLO" where there is none.
std::string show(const std::vector<SloTarget>& slo);

/// "ttft=2s,tpot.mean=30ms,p90.e2e=20s": a metric alone is its 99th percentile.
Result<std::vector<SloTarget>> parse_slo(std::string_view text);

/// The shortest limit on a metric, whatever its statistic; none where nothing is promised of it.
std::optional<Seconds<double>> shortest_limit(const std::vector<SloTarget>& slo, SloMetric metric);

}  // namespace ridge
