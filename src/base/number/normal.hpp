#pragma once
// The normal distribution's shares and quantiles.

#include <cmath>
#include <limits>

namespace ridge {

/// Share of a standard normal distribution at or below z.
inline double normal_share(double z) { return 0.5 * std::erfc(-z * 0.70710678118654752440); }

/// The z that this share lies at or below: minus infinity at 0, infinity at 1. By halving, so that it is the inverse of
/// normal_share whatever the C library; 60 halvings of 80 leave less than a double can tell.
inline double normal_quantile(double share) {
  constexpr double kFar = 40;  // shares below it are less than the smallest double
  if (share <= 0) return -std::numeric_limits<double>::infinity();
  if (share >= 1) return std::numeric_limits<double>::infinity();
  if (share == 0.5) return 0;
  double low = -kFar, high = kFar;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (normal_share(middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace ridge
