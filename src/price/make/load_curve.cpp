#include "price/make/load_curve.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

double most_in_flight(const UsualLoad& usual) {
  return std::max(usual.load.concurrency, usual.estimate.memory.sequences.value());
}

}  // namespace

LoadPoint load_point(const UsualLoad& usual, double concurrency) {
  RequestLoad load = usual.load;
  load.concurrency = concurrency;
  const ServingEstimate there = evaluate(usual.deployment, load);
  const ServingEstimate& here = usual.estimate;
  return {.concurrency = concurrency,
          .batch = there.times.batch.value(),
          .user_rate = there.user_rate.value(),
          .speed = there.user_rate.value() / here.user_rate.value(),
          .input = there.input_cost.value() / here.input_cost.value(),
          .output = there.output_cost.value() / here.output_cost.value(),
          .mixed = there.cost_of_all.value() / here.cost_of_all.value()};
}

LoadPoint fastest_load(const UsualLoad& usual) {
  constexpr double kAsFast = 1 - 1e-3;
  const LoadPoint alone = load_point(usual, 1.0);
  return load_with_speed(usual, kAsFast * alone.speed).value_or(LoadPoint{});
}

std::optional<LoadPoint> load_with_speed(const UsualLoad& usual, double speed) {
  constexpr int kHalvings = 50;
  LoadPoint found = load_point(usual, 1.0);
  if (found.speed < speed) return {};
  double low = 1.0, high = std::max(1.0, usual.load.concurrency);
  for (int i = 0; i < kHalvings && high > low * (1 + 1e-9); ++i) {
    const double middle = std::sqrt(low * high);
    const LoadPoint there = load_point(usual, middle);
    if (there.speed >= speed) {
      low = middle;
      found = there;
    } else {
      high = middle;
    }
  }
  return found;
}

LoadPoint cheapest_point(const UsualLoad& usual) {
  constexpr int kTried = 24;
  LoadPoint best = load_point(usual, usual.load.concurrency);
  for (int i = 1; i <= kTried; ++i) {
    const double more = std::pow(most_in_flight(usual) / usual.load.concurrency, static_cast<double>(i) / kTried);
    const LoadPoint there = load_point(usual, usual.load.concurrency * more);
    if (there.mixed < best.mixed) best = there;
  }
  return best;
}

std::vector<LoadPoint> load_points(const UsualLoad& usual, double from, int count) {
  std::vector<LoadPoint> out;
  const double span = most_in_flight(usual) / from;
  for (int i = 0; i < count; ++i)
    out.push_back(load_point(usual, from * std::pow(span, static_cast<double>(i) / (count - 1))));
  return out;
}

}  // namespace ridge
