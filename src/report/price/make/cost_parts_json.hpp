#pragma once
// Quantities and the parts of a cost in JSON, where both numbers and units are said.

#include "base/text/unit_text.hpp"
#include "price/make/step_costs.hpp"
#include "report/base/json.hpp"

namespace ridge::report {

template <Dimension D>
Json value(const Quantity<D, double>& quantity) {
  return {{"value", json_number(quantity.value())}, {"unit", unit_name(D)}};
}

template <Dimension D>
Json value(const std::optional<Quantity<D, double>>& quantity) {
  return quantity ? value(*quantity) : Json(nullptr);
}

/// Dollars a token, by where the time goes; they add up to the cost.
inline Json parts_json(const DollarsPerToken<double>& cost, const StepCosts<double>& parts) {
  const auto part = [&](const Seconds<double>& time) { return value(cost * (time / parts.total())); };
  return {{"weights", part(parts.weights)}, {"kv_cache", part(parts.context)},      {"compute", part(parts.compute)},
          {"network", part(parts.network)}, {"below_peak", part(parts.below_peak)}, {"overhead", part(parts.engine)},
          {"idle", part(parts.idle)}};
}

}  // namespace ridge::report
