#include "cost/operation.hpp"

#include <numbers>

namespace ridge {

double expected_largest(double count) {
  if (count <= 1) return 0;
  const double share = (count - 0.375) / (count + 0.25);
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) {  // where the normal distribution reaches that share
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < share ? low : high) = middle;
  }
  return high;
}

}  // namespace ridge
