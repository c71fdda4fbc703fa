#include "price/long_tier.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

/// Sums over a side of the step.
struct Side {
  double share = 0, input = 0, output = 0, squares = 0;

  void add(double of, const LengthCost<double>& cost) {
    share += of;
    input += of * cost.input.value();
    output += of * cost.output.value();
    squares += of * cost.output.value() * cost.output.value();
  }
  /// Sum of squares around the mean.
  double scatter() const { return share > 0 ? std::max(0.0, squares - output * output / share) : 0.0; }
};

}  // namespace

std::vector<DemandBand> lognormal_demand(const Tokens<double>& median, double spread, const Tokens<double>& longest) {
  constexpr int kBands = 96;
  constexpr double kFrom = -3.0;  // standard deviations below the median; shorter ones cost as much
  const double from = median.value() * std::exp(kFrom * spread);
  const double to = std::min(longest.value(), median.value() * std::exp(-kFrom * spread));
  std::vector<DemandBand> bands;
  double sum = 0;
  for (int i = 0; i < kBands && to > from; ++i) {
    const double length = from * std::pow(to / from, (i + 0.5) / kBands);
    const double away = std::log(length / median.value()) / spread;
    bands.push_back({Tokens<double>(length), std::exp(-away * away / 2)});
    sum += bands.back().share;
  }
  for (DemandBand& band : bands) band.share /= sum;
  return bands;
}

std::optional<LongStep> best_step(const SheetCase<double>& c, const std::vector<DemandBand>& demand) {
  std::vector<DemandBand> sorted = demand;
  std::sort(sorted.begin(), sorted.end(), [](const DemandBand& a, const DemandBand& b) { return a.length < b.length; });
  std::vector<LengthCost<double>> costs;
  Side all;
  for (const DemandBand& band : sorted) {
    costs.push_back(cost_at_length(c, band.length));
    all.add(band.share, costs.back());
  }
  std::optional<LongStep> best;
  Side below;
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    below.add(sorted[i].share, costs[i]);
    Side above;
    for (std::size_t j = i + 1; j < sorted.size(); ++j) above.add(sorted[j].share, costs[j]);
    if (!(below.share > 0) || !(above.share > 0)) continue;
    const double mean = all.output / all.share;
    const double deviation = std::sqrt((below.scatter() + above.scatter()) / all.share) / mean;
    if (best && best->deviation <= deviation) continue;
    best = LongStep{.above = sorted[i].length,
                    .input = (above.input / above.share) / (below.input / below.share),
                    .output = (above.output / above.share) / (below.output / below.share),
                    .share = above.share / all.share,
                    .deviation = deviation,
                    .without = std::sqrt(all.scatter() / all.share) / mean};
  }
  return best;
}

}  // namespace ridge
