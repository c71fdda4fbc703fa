#pragma once
// The closed form of TTFT at a request rate, for a capacity a tenth lower and a tenth higher: near saturation these lie far
// apart, and a point says little.

#include <optional>

#include "serve/serving.hpp"

namespace ridge {

struct TtftAtCapacities {
  static constexpr double kError = 0.1, kSeveralFold = 2;

  Seconds<double> more{}, less{};  // with more capacity, and with less
  bool saturated = false;          // with less it could not keep up: there is no end

  bool is_several_fold() const { return saturated || less.value() >= kSeveralFold * more.value(); }
};

/// Steps that are c times as fast under the rate r: times are those under r / c, over c. Nothing where no rate was asked
/// for, or where more would be in flight than fit.
std::optional<TtftAtCapacities> ttft_at_capacities(const ServingAnswer& answer);

}  // namespace ridge
