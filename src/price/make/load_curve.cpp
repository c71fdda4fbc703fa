#include "price/make/load_curve.hpp"

#include <algorithm>
#include <cmath>

#include "price/make/cheapest_load.hpp"

namespace ridge {

double LoadCurve::most() const { return std::max(usual_.concurrency, usual_.memory.sequences); }

std::optional<LoadPoint> LoadCurve::at(double concurrency) const {
  ServingQuestion question = held(usual_);
  question.concurrency = concurrency * usual_.layout.replicas;
  const auto served = answer_serving(question, library_);
  if (!served || !served->answer) return {};
  const ServingAnswer& there = *served->answer;
  return LoadPoint{.concurrency = concurrency,
                   .batch = there.times.batch.value(),
                   .user_rate = there.user_rate,
                   .speed = there.user_rate / usual_.user_rate,
                   .input = there.input_cost / usual_.input_cost,
                   .output = there.output_cost / usual_.output_cost,
                   .mixed = (cost_of(there) / cost_of(usual_)).value()};
}

std::optional<LoadPoint> LoadCurve::fastest() const {
  constexpr double kAsFast = 1 - 1e-3;
  const auto alone = at(1.0);
  return alone ? with_speed(kAsFast * alone->speed) : std::nullopt;
}

std::optional<LoadPoint> LoadCurve::with_speed(double speed) const {
  constexpr int kHalvings = 50;
  std::optional<LoadPoint> found = at(1.0);
  if (!found || found->speed < speed) return {};
  double low = 1.0, high = std::max(1.0, usual_.concurrency);
  for (int i = 0; i < kHalvings && high > low * (1 + 1e-9); ++i) {
    const double middle = std::sqrt(low * high);
    const auto there = at(middle);
    if (there && there->speed >= speed) {
      low = middle;
      found = there;
    } else {
      high = middle;
    }
  }
  return found;
}

LoadPoint LoadCurve::cheapest(double most_of_usual) const {
  constexpr int kTried = 24;
  LoadPoint best = at(usual_.concurrency).value_or(LoadPoint{});
  for (int i = 1; i <= kTried; ++i) {
    const double concurrency =
        usual_.concurrency * std::pow(most() / usual_.concurrency, static_cast<double>(i) / kTried);
    const auto there = at(concurrency);
    if (!there || there->input > most_of_usual || there->output > most_of_usual) continue;
    if (there->mixed < best.mixed) best = *there;
  }
  return best;
}

std::vector<LoadPoint> LoadCurve::points(double from, int count) const {
  std::vector<LoadPoint> out;
  const double span = most() / from;
  for (int i = 0; i < count; ++i) {
    if (const auto there = at(from * std::pow(span, static_cast<double>(i) / (count - 1)))) out.push_back(*there);
  }
  return out;
}

}  // namespace ridge
