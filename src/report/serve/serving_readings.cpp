#include "report/serve/serving_readings.hpp"

#include "report/derive/derivation.hpp"
#include "report/derive/ranges.hpp"
#include "serve/estimate.ipp"
#include "serve/serving_inputs.hpp"

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
  const auto here = output_values(answer.estimate);
  std::vector<RangedFigure> figures;
  for (std::size_t i = 0; i < kServingOutputs; ++i)
    figures.push_back({serving_figure_info(i).key, serving_figure_dimension(i), here[i], bounds[i]});
  return ranges_text(figures, style);
}

}  // namespace ridge::report
