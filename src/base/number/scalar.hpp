#pragma once
// The contract of a scalar: what an equation may do with a number. Five types keep it (double, Lanes, Dual, Interval,
// Traced), so that one equation is evaluated, swept, differentiated, bounded and written out.

#include <cmath>
#include <concepts>
#include <limits>

#include "base/number/elementary.hpp"

namespace ridge {

inline double max(double a, double b) { return a < b ? b : a; }
inline double min(double a, double b) { return b < a ? b : a; }
inline double sqrt(double a) { return __builtin_sqrt(a); }
inline double ceil(double a) { return __builtin_ceil(a); }
inline double pow(double base, double exponent) { return elementary::pow(base, exponent); }
inline double log(double a) { return elementary::log(a); }
/// The x >= 0 with x (1 + m x)^q = c.
inline double balance(double c, double m, double q) { return elementary::balance(c, m, q); }

/// a / b where b > 0; where b <= 0 there is no such crossing or limit, and the result is infinite with the sign of a.
inline double divide_or_unbounded(double a, double b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return b > 0.0 ? a / b : (a < 0.0 ? -kInfinity : kInfinity);
}

/// What every equation may use. Branches only through max, min and divide_or_unbounded.
template <class S>
concept Scalar = std::constructible_from<S, double> && requires(S a, S b) {
  { a + b } -> std::convertible_to<S>;
  { a - b } -> std::convertible_to<S>;
  { a* b } -> std::convertible_to<S>;
  { a / b } -> std::convertible_to<S>;
  { max(a, b) } -> std::convertible_to<S>;
  { min(a, b) } -> std::convertible_to<S>;
  { sqrt(a) } -> std::convertible_to<S>;
  { pow(a, b) } -> std::convertible_to<S>;
  { log(a) } -> std::convertible_to<S>;
  { balance(a, a, b) } -> std::convertible_to<S>;
  { divide_or_unbounded(a, b) } -> std::convertible_to<S>;
};

static_assert(Scalar<double>);

/// Whether a scalar remembers names: only then is one worth putting together.
template <class S>
inline constexpr bool remembers_names = false;

}  // namespace ridge
