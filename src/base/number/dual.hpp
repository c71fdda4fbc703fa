#pragma once
// A number with its slope in one chosen direction: forward differentiation. Over double it gives elasticities, over
// Interval the sign of a slope on a whole box (roofline/bounds.cpp).

#include "base/number/scalar.hpp"

namespace ridge {

// At a tie of max or min the slope to the right is the larger or the smaller of the two; a double knows which, an
// interval keeps both (see interval.hpp).
inline double slope_of_max(double a, double b, double slope_a, double slope_b) {
  if (a == b) return slope_a < slope_b ? slope_b : slope_a;
  return a < b ? slope_b : slope_a;
}
inline double slope_of_min(double a, double b, double slope_a, double slope_b) {
  if (a == b) return slope_a < slope_b ? slope_a : slope_b;
  return a < b ? slope_a : slope_b;
}
inline bool slopes_tie(double a, double b) { return a == b; }

/// Slope of base^exponent, also where base is zero and the logarithm is not finite.
inline double slope_of_pow(double base, double exponent, double power, double slope_base, double slope_exponent) {
  const double along_exponent = base > 0.0 ? power * elementary::log(base) * slope_exponent : 0.0;
  if (slope_base == 0.0) return along_exponent;
  if (exponent == 0.0) return along_exponent;
  return along_exponent + exponent * ridge::pow(base, exponent - 1.0) * slope_base;
}

/// Slope of divide_or_unbounded: none where there is no finite quotient.
inline double slope_of_divide_or_unbounded(double a, double b, double slope_a, double slope_b) {
  return b > 0.0 ? (slope_a - (a / b) * slope_b) / b : 0.0;
}

/// value, and d value / d input for the input that was seeded with slope 1. `kink` tells that a max or min was tied on
/// the way with different slopes: the slope is then the one towards larger inputs only.
template <class T>
struct BasicDual {
  T value{0.0};
  T slope{0.0};
  bool kink = false;

  BasicDual() = default;
  explicit BasicDual(double constant) : value(constant) {}
  BasicDual(T value_, T slope_, bool kink_ = false) : value(value_), slope(slope_), kink(kink_) {}

  friend BasicDual operator+(const BasicDual& a, const BasicDual& b) {
    return {a.value + b.value, a.slope + b.slope, a.kink || b.kink};
  }
  friend BasicDual operator-(const BasicDual& a, const BasicDual& b) {
    return {a.value - b.value, a.slope - b.slope, a.kink || b.kink};
  }
  friend BasicDual operator*(const BasicDual& a, const BasicDual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope, a.kink || b.kink};
  }
  friend BasicDual operator/(const BasicDual& a, const BasicDual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value, a.kink || b.kink};
  }
  friend BasicDual max(const BasicDual& a, const BasicDual& b) {
    using ridge::max;
    return {max(a.value, b.value), slope_of_max(a.value, b.value, a.slope, b.slope), kinked(a, b)};
  }
  friend BasicDual min(const BasicDual& a, const BasicDual& b) {
    using ridge::min;
    return {min(a.value, b.value), slope_of_min(a.value, b.value, a.slope, b.slope), kinked(a, b)};
  }
  friend BasicDual sqrt(const BasicDual& a) {
    using ridge::sqrt;
    const T root = sqrt(a.value);
    return {root, a.slope / (root + root), a.kink};
  }
  friend BasicDual pow(const BasicDual& a, const BasicDual& b) {
    using ridge::pow;
    const T power = pow(a.value, b.value);
    return {power, slope_of_pow(a.value, b.value, power, a.slope, b.slope), a.kink || b.kink};
  }
  friend BasicDual log(const BasicDual& a) {
    using ridge::log;
    return {log(a.value), a.slope / a.value, a.kink};
  }
  /// x (1 + m x)^q = c, differentiated: dx (1 + q m x / u) = u^-q dc - q x^2 / u dm - x ln(u) dq with u = 1 + m x.
  friend BasicDual balance(const BasicDual& c, const BasicDual& m, const BasicDual& q) {
    using ridge::balance;
    using ridge::log;
    using ridge::pow;
    const T one(1.0);
    const T x = balance(c.value, m.value, q.value);
    const T u = one + m.value * x;
    const T moved = c.slope / pow(u, q.value) - q.value * x * x / u * m.slope - x * log(u) * q.slope;
    return {x, moved / (one + q.value * (one - one / u)), c.kink || m.kink || q.kink};
  }
  friend BasicDual divide_or_unbounded(const BasicDual& a, const BasicDual& b) {
    using ridge::divide_or_unbounded;
    return {divide_or_unbounded(a.value, b.value), slope_of_divide_or_unbounded(a.value, b.value, a.slope, b.slope),
            a.kink || b.kink};
  }

 private:
  static bool kinked(const BasicDual& a, const BasicDual& b) {
    return a.kink || b.kink || (slopes_tie(a.value, b.value) && !(a.slope == b.slope));
  }
};

using Dual = BasicDual<double>;
static_assert(Scalar<Dual>);

}  // namespace ridge
