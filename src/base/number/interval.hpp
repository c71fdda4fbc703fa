#pragma once
// All values a number may take, from low to high, rounded outward: what is computed from every point inside lies inside
// the result. Dividing by something that may be zero gives the whole line ("unbounded"), never an error.

#include <cmath>
#include <initializer_list>

#include "base/number/dual.hpp"
#include "base/number/scalar.hpp"

namespace ridge {

struct Interval {
  double low = 0.0;
  double high = 0.0;

  Interval() = default;
  explicit Interval(double point) : low(point), high(point) {}
  Interval(double low_, double high_) : low(low_), high(high_) {}

  bool contains(double x) const { return low <= x && x <= high; }
  bool is_point() const { return low == high; }
  double width() const { return high - low; }
  bool operator==(const Interval&) const = default;

  // What is exactly zero stays so: a slope along an input that a figure does not read must not become rounding noise of
  // either sign.
  bool is_zero() const { return low == 0.0 && high == 0.0; }

  friend Interval operator+(Interval a, Interval b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    return outward(a.low + b.low, a.high + b.high);
  }
  friend Interval operator-(Interval a, Interval b) {
    if (b.is_zero()) return a;
    return outward(a.low - b.high, a.high - b.low);
  }
  friend Interval operator*(Interval a, Interval b) {
    if (a.is_zero() || b.is_zero()) return Interval(0.0);
    return hull({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  }
  friend Interval operator/(Interval a, Interval b) {
    if (b.low <= 0.0 && b.high >= 0.0) return whole_line();
    if (a.is_zero()) return a;
    return hull({over(a.low, b.low), over(a.low, b.high), over(a.high, b.low), over(a.high, b.high)});
  }
  friend Interval max(Interval a, Interval b) { return {ridge::max(a.low, b.low), ridge::max(a.high, b.high)}; }
  friend Interval min(Interval a, Interval b) { return {ridge::min(a.low, b.low), ridge::min(a.high, b.high)}; }
  friend Interval sqrt(Interval a) { return outward(ridge::sqrt(ridge::max(a.low, 0.0)), ridge::sqrt(a.high)); }

  /// For bases that are not negative. Monotone in each argument alone, so the extremes are among the corners.
  friend Interval pow(Interval base, Interval exponent) {
    const double from = ridge::max(base.low, 0.0);
    return widened_hull(
        {{from, exponent.low}, {from, exponent.high}, {base.high, exponent.low}, {base.high, exponent.high}});
  }
  /// Rises everywhere; our log is right to two units in the last place.
  friend Interval log(Interval a) {
    const auto at = [](double x) { return elementary::log(ridge::max(x, 0.0)); };
    const double low_ = at(a.low), high_ = at(a.high);
    return {low_ - 4.5e-16 * std::fabs(low_) - 1e-300, high_ + 4.5e-16 * std::fabs(high_) + 1e-300};
  }
  /// Rises with c, falls with m and q. Newton's root is right to a few units in the last place of its logarithm.
  friend Interval balance(Interval c, Interval m, Interval q) {
    constexpr double kError = 1e-13;
    return {ridge::balance(c.low, m.high, q.high) * (1.0 - kError),
            ridge::balance(c.high, m.low, q.low) * (1.0 + kError)};
  }
  friend Interval divide_or_unbounded(Interval a, Interval b) {
    if (b.low > 0.0) return a / b;
    if (b.high <= 0.0) return {a.low < 0.0 ? -kInfinity : kInfinity, a.high < 0.0 ? -kInfinity : kInfinity};
    return {a.low < 0.0 ? -kInfinity : outward_low(over(a.low, b.high)),
            a.high < 0.0 ? outward_high(over(a.high, b.high)) : kInfinity};
  }

  static Interval whole_line() { return {-kInfinity, kInfinity}; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Corner {
    double base, exponent;
  };

  static double outward_low(double x) { return std::nextafter(x, -kInfinity); }
  static double outward_high(double x) { return std::nextafter(x, kInfinity); }
  // inf - inf has no value; as a bound that is "unbounded".
  static Interval outward(double low_, double high_) {
    return {std::isnan(low_) ? -kInfinity : outward_low(low_), std::isnan(high_) ? kInfinity : outward_high(high_)};
  }
  // 0 * inf and inf / inf have no value of their own; as limits of products of bounds they are 0.
  static double times(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }
  static double over(double a, double b) { return a == 0.0 || std::isinf(b) ? 0.0 : a / b; }

  static Interval hull(std::initializer_list<double> points) {
    double low_ = kInfinity, high_ = -kInfinity;
    for (const double point : points) {
      low_ = ridge::min(low_, point);
      high_ = ridge::max(high_, point);
    }
    return outward(low_, high_);
  }

  // Our pow computes exp(y) with y = exponent * log(base): the error of y in units of its last place becomes a relative
  // error of the result.
  static Interval widened_hull(std::initializer_list<Corner> corners) {
    double low_ = kInfinity, high_ = 0.0;
    for (const Corner& corner : corners) {
      const double power = ridge::pow(corner.base, corner.exponent);
      const double y = corner.base > 0.0 ? std::fabs(corner.exponent * elementary::log(corner.base)) : 0.0;
      const double error = (std::isinf(power) || std::isinf(y)) ? 0.0 : power * (4.0 + 2.0 * y) * 2.3e-16;
      low_ = ridge::min(low_, ridge::max(0.0, power - error));
      high_ = ridge::max(high_, power + error);
    }
    // below the smallest normal number our exp returns zero; the true value may be anything up to there
    if (low_ < 1e-300) low_ = 0.0;
    return {low_, ridge::max(high_, low_ == 0.0 ? 1e-300 : 0.0)};
  }
};

static_assert(Scalar<Interval>);

// Where two intervals overlap either branch may be the taken one, so the slope may be either's.
inline Interval either_slope(Interval a, Interval b) { return {ridge::min(a.low, b.low), ridge::max(a.high, b.high)}; }
inline bool slopes_tie(Interval, Interval) { return false; }

inline Interval slope_of_max(Interval a, Interval b, Interval slope_a, Interval slope_b) {
  if (a.low > b.high) return slope_a;
  if (b.low > a.high) return slope_b;
  return either_slope(slope_a, slope_b);
}
inline Interval slope_of_min(Interval a, Interval b, Interval slope_a, Interval slope_b) {
  return slope_of_max(Interval(-b.high, -b.low), Interval(-a.high, -a.low), slope_b, slope_a);
}
/// base^exponent * log(base), which stays finite where a base near zero (a dense model's 1 - k/E) has an infinite
/// logarithm: x^y ln(x) is never below -1 / (e y).
inline Interval power_times_log(Interval base, Interval exponent, Interval power) {
  const double log_high = base.high > 0.0 ? std::nextafter(elementary::log(base.high), 1e308) + 1e-15 : 0.0;
  if (base.low <= 0.0 && exponent.low > 0.0) {
    return {std::nextafter(-0.36787944117144239 / exponent.low, -1e308), ridge::max(0.0, power.high * log_high)};
  }
  const double log_low = std::nextafter(elementary::log(ridge::max(base.low, 0.0)), -1e308) - 1e-15;
  return power * Interval(log_low, log_high);
}
inline Interval slope_of_pow(Interval base, Interval exponent, Interval power, Interval slope_base,
                             Interval slope_exponent) {
  const Interval none(0.0);
  const Interval along_exponent =
      slope_exponent == none ? none : power_times_log(base, exponent, power) * slope_exponent;
  if (slope_base == none) return along_exponent;
  return along_exponent + exponent * pow(base, exponent - Interval(1.0)) * slope_base;
}
inline Interval slope_of_divide_or_unbounded(Interval a, Interval b, Interval slope_a, Interval slope_b) {
  if (slope_a.is_zero() && slope_b.is_zero()) return slope_a;
  if (b.low <= 0.0) return Interval::whole_line();
  return (slope_a - (a / b) * slope_b) / b;
}

static_assert(Scalar<BasicDual<Interval>>);

}  // namespace ridge
