#include "simulate/answer/figures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ridge::simulate {

namespace {

/// The 97.5th percentile of Student's t by degrees of freedom (Abramowitz and Stegun, table 26.10).
double student(std::size_t freedom) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                               2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (freedom <= std::size(kTable)) return kTable[freedom - 1];
  const auto n = static_cast<double>(freedom);
  constexpr double z = 1.959964, z3 = z * z * z,
                   z5 = z3 * z * z;  // the normal's, and two terms in 1 / n (26.7.5 there)
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

}  // namespace

double share_within_targets(const SimulationResult& result) {
  const std::int64_t judged = result.finished + result.refused + result.lost;
  return judged == 0 ? 1 : static_cast<double>(result.all.within_targets) / static_cast<double>(judged);
}

std::vector<RunFigure> figures_of(const SimulationResult& result) {
  std::vector<RunFigure> figures;
  const auto add = [&](const std::string& name, double value) { figures.push_back({name, value}); };
  const auto spans = [&](const std::string& name, const Samples& samples) {
    const Spread spread = samples.spread();
    add(name + "_mean", spread.mean);
    add(name + "_p50", spread.p50);
    add(name + "_p90", spread.p90);
    add(name + "_p95", spread.p95);
    add(name + "_p99", spread.p99);
  };
  spans("ttft", result.all.ttft);
  spans("tpot", result.all.tpot);
  spans("itl", result.all.itl);
  spans("e2e", result.all.e2e);
  spans("queue", result.all.queue);
  add("output_tok_s", result.output_rate());
  add("requests_per_s", result.request_rate());
  add("slo_share", share_within_targets(result));
  add("busy", result.busy);
  add("kv_mean", result.mean_cache);
  return figures;
}

std::vector<SeedSpread> over_seeds(const std::vector<std::vector<RunFigure>>& runs) {
  std::vector<SeedSpread> spreads;
  if (runs.empty()) return spreads;
  const auto n = static_cast<double>(runs.size());
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    double mean = 0, squares = 0;
    for (const auto& run : runs) mean += run[i].value / n;
    for (const auto& run : runs) squares += (run[i].value - mean) * (run[i].value - mean);
    const double half = runs.size() < 2 ? 0 : student(runs.size() - 1) * std::sqrt(squares / (n - 1) / n);
    spreads.push_back({runs.front()[i].name, mean, mean - half, mean + half});
  }
  return spreads;
}

}  // namespace ridge::simulate
