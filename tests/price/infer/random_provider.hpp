#pragma once
// Random providers within what is believed, and the sheets they would write.

#include "catalog/entries/library.hpp"
#include "price/infer/infer.hpp"
#include "roofline/random_case.hpp"

namespace ridge::testing {

/// Every unknown evenly on a logarithmic scale, within the middle `part` of what is believed of it.
inline Provider<double> random_provider(Draw& draw, const Beliefs& priors, double part) {
  const auto inside = [&](const Interval& range) {
    const double span = range.high / range.low, edge = (1 - part) / 2;
    return range.low * std::pow(span, draw.uniform(edge, 1 - edge));
  };
  for (;;) {
    Provider<double> p = provider_of<double>([&](std::size_t i) { return inside(priors.box[i]); });
    const BytesPerToken<double> kv(inside(priors.kv));
    p.balanced = p.active * p.width / (kv * p.intensity);
    if (priors.kv.contains(observe(Observable::kv, p, {}))) return p;
  }
}

/// The provider's sheet by the equations that `ridge infer` reads it with; a long tier, and a fast mode at a part of the
/// usual batch where that is faster.
inline PriceSheet sheet_of(const Provider<double>& p, bool tier, double fast_load) {
  const SheetEstimate<double> e = estimate_sheet(sheet_case(p));
  PriceSheet sheet;
  sheet.provider = "random";
  sheet.model = "provider";
  sheet.input = e.input;
  sheet.output = e.output;
  sheet.cached = e.cached;
  const double height = observe(Observable::long_output, p, {});
  if (tier && height > 1) {
    PriceBreak one;
    one.above = Tokens<double>(observe(Observable::long_above, p, {}));
    one.input = e.input;
    one.output = height * e.output;
    sheet.tiers.push_back(one);
  }
  if (fast_load > 0) {
    const double speed = observe(Observable::fast_speed, p, {.load = fast_load, .speed = 1});
    const double price = 1 / (fast_load * speed);
    if (speed > 1 && price > 1) sheet.modes.push_back({"fast", e.input, price * e.output, speed});
  }
  return sheet;
}

}  // namespace ridge::testing
