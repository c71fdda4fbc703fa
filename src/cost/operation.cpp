#include "cost/operation.hpp"

#include <numbers>

namespace ridge {

double expected_largest(double count) {
  if (count <= 1) return 0;
  const double digits = std::log10(count);
  const double alpha = 0.3151 + 0.0580 * digits - 0.0098 * digits * digits;
  const double share = (count - alpha) / (count + 1 - 2 * alpha);
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) {  // where the normal distribution reaches that share
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < share ? low : high) = middle;
  }
  return high;
}

}  // namespace ridge
