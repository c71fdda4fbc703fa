#include "report/serve/serving_readings.hpp"

#include "report/derive/derivation.hpp"
#include "report/derive/ranges.hpp"
#include "serve/estimate.ipp"

namespace ridge::report {

std::array<Traced, kServingOutputs> traced_figures(const ServingAnswer& answer) {
  const ServingCase<double> numbers = under(answer.ground(), answer.load);
  return output_values(evaluate(answer.deployment, traced_case(numbers)));
}

std::string serving_derivation_text(const ServingAnswer& answer, std::size_t figure, int depth, const Library& library,
                                    const Style& style) {
  const ServingCase<double> numbers = under(answer.ground(), answer.load);
  return derivation_text(derive(traced_figures(answer)[figure], depth),
                         derivation_inputs(numbers, answer.ground().from), library, style);
}

std::string serving_range_text(const std::array<Interval, kServingOutputs>& bounds, const ServingAnswer& answer,
                               const Style& style) {
  auto figures = ranged_figures(answer.estimate, bounds);
  if (!answer.load.decodes()) std::erase_if(figures, [](const RangedFigure& one) { return of_decode(one.key); });
  return ranges_text(figures, style);
}

}  // namespace ridge::report
