#include "serve/question/serving_readings.hpp"

#include <algorithm>
#include <cmath>

#include "base/case_figures.hpp"
#include "serve/estimate.ipp"

namespace ridge {

namespace {

double elasticity(const Dual& figure) { return figure.value != 0 ? figure.slope / figure.value : 0; }

}  // namespace

std::vector<ServingElasticity> serving_sensitivity(const Deployment& deployment, const RequestLoad& load) {
  constexpr auto kRows = field_rows<ServingCase>();
  const ServingCase<double> numbers = under(deployment.ground, load);
  std::vector<ServingElasticity> all;
  for (std::size_t moved = 0; moved < kServingInputs; ++moved) {
    if (!load.decodes() && kRows[moved].info.key == "osl") continue;  // from one token on, there is no less
    // a slope equal to the value makes this the derivative along ln(input)
    const auto seeded = read_as<Dual>(numbers, [&](std::size_t index, const InputInfo&, Dimension, double value) {
      return Dual(value, index == moved ? value : 0.0);
    });
    const ServingEstimateOf<Dual> e = evaluate(deployment, seeded);
    all.push_back({std::string(kRows[moved].info.key), elasticity(e.times.tpot.value()),
                   elasticity(e.times.ttft.value()), elasticity(e.requests.value()), elasticity(e.cost.value())});
  }
  std::stable_sort(all.begin(), all.end(), [&](const ServingElasticity& a, const ServingElasticity& b) {
    return load.decodes() ? std::abs(a.tpot) > std::abs(b.tpot) : std::abs(a.requests) > std::abs(b.requests);
  });
  return all;
}

std::array<Interval, kServingOutputs> bound_serving(const Deployment& deployment, const RequestLoad& load,
                                                    const std::vector<RangedInput>& ranges, int most_boxes) {
  const ServingCase<double> numbers = under(deployment.ground, load);
  const CaseFigures figures{numbers, [&](const auto& over) { return evaluate(deployment, over); }};
  const FigureBounds bounds = BoxBounds(figures).over(ranges, most_boxes);
  std::array<Interval, kServingOutputs> result;
  std::copy(bounds.begin(), bounds.end(), result.begin());
  return result;
}

}  // namespace ridge
