#pragma once
// Random providers within what is believed, and the sheets they would write.

#include "catalog/library.hpp"
#include "price/infer.hpp"
#include "serve/random_case.hpp"

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
    p.balanced = p.active * p.width / (kv * p.intensity * p.evenness);
    if (priors.kv.contains(observe(Observable::kv, p, {}))) return p;
  }
}

/// The provider's sheet by the equations of ridge price; a long tier where the context balances, a fast mode at a part
/// of the usual batch.
inline PriceSheet sheet_of(const Provider<double>& p, bool tier, double fast_load) {
  SheetCase<double> c = sheet_case(p);
  c.fast_load = fast_load > 0 ? fast_load : 1.0;
  const SheetEstimate<double> e = estimate_sheet(c);
  PriceSheet sheet;
  sheet.provider = "random";
  sheet.model = "provider";
  sheet.input = e.input;
  sheet.output = e.output;
  sheet.cached = e.cached;
  if (tier) {
    LongTier one;
    one.above = e.balance_context;
    one.input = e.input;
    one.output = 1.5 * e.output;
    sheet.tiers.push_back(one);
  }
  if (fast_load > 0) sheet.modes.push_back({"fast", e.input, e.fast_output, e.fast_speed.value()});
  return sheet;
}

}  // namespace ridge::testing
