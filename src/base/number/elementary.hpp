#pragma once
// exp and log, written once for a double and for a vector of them, out of +, -, *, / and bit patterns alone.
// Every reading and every machine therefore gets the same last bit, which no two C libraries promise.
// Method and log's coefficients: fdlibm (Sun Microsystems, 1993); exp is a Taylor polynomial on |r| <= ln(2)/2.
// Errors stay under 2 units in the last place over the range used (tests/base/elementary_test.cpp).

#include <bit>
#include <cstdint>
#include <limits>

namespace ridge {

/// What exp and log need of a floating type beyond arithmetic: its bits, and a choice. Lanes specialises it for vectors.
template <class V>
struct BitsOf;

template <>
struct BitsOf<double> {
  using Type = std::uint64_t;
  static Type to(double value) { return std::bit_cast<Type>(value); }
  static double from(Type bits) { return std::bit_cast<double>(bits); }
  static Type all(std::uint64_t bits) { return bits; }
  static double choose(bool condition, double yes, double no) { return condition ? yes : no; }
};

namespace elementary {

inline constexpr double kLn2High = 6.93147180369123816490e-01;
inline constexpr double kLn2Low = 1.90821492927058770002e-10;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// e^x. Results below the smallest normal number are zero.
template <class V>
V exp(V x) {
  using Bits = BitsOf<V>;
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves the nearest integer in the low bits
  const V shifted = x * V(1.44269504088896338700) + V(kShift);
  const V k = shifted - V(kShift);
  const V r = (x - k * V(kLn2High)) - k * V(kLn2Low);
  const V r2 = r * r;
  const V r4 = r2 * r2;
  const V low = (V(1.0) + r) + r2 * (V(1.0 / 2) + r * V(1.0 / 6));
  const V middle = (V(1.0 / 24) + r * V(1.0 / 120)) + r2 * (V(1.0 / 720) + r * V(1.0 / 5040));
  const V high = (V(1.0 / 40320) + r * V(1.0 / 362880)) + r2 * (V(1.0 / 3628800) + r * V(1.0 / 39916800));
  const V top = V(1.0 / 479001600) + r * V(1.0 / 6227020800);
  const V mantissa = low + r4 * (middle + r4 * (high + r4 * top));
  const V scale = Bits::from((Bits::to(shifted) + Bits::all(1023)) << 52);
  const V result = mantissa * scale;
  const V bounded_below = Bits::choose(x < V(-708.0), V(0.0), result);
  return Bits::choose(x > V(709.0), V(kInfinity), bounded_below);
}

/// Natural logarithm of x >= 0; minus infinity at zero. x is a normal number or zero.
template <class V>
V log(V x) {
  using Bits = BitsOf<V>;
  constexpr std::uint64_t kSqrtHalf = 0x3FE6A09E00000000;  // mantissas are taken from [sqrt(1/2), sqrt(2))
  constexpr std::uint64_t kOne = 0x3FF0000000000000;
  constexpr std::uint64_t kTwo52 = 0x4330000000000000;
  const auto biased = Bits::to(x) + Bits::all(kOne - kSqrtHalf);
  const V exponent = Bits::from((biased >> 52) | Bits::all(kTwo52)) - V(4503599627370496.0 + 1023.0);
  const V mantissa = Bits::from((biased & Bits::all(0x000FFFFFFFFFFFFF)) + Bits::all(kSqrtHalf));
  const V f = mantissa - V(1.0);
  const V half_square = V(0.5) * f * f;
  const V s = f / (V(2.0) + f);
  const V z = s * s;
  const V w = z * z;
  const V even =
      w * (V(3.999999999940941908e-01) + w * (V(2.222219843214978396e-01) + w * V(1.531383769920937332e-01)));
  const V odd =
      z * (V(6.666666666666735130e-01) +
           w * (V(2.857142874366239149e-01) + w * (V(1.818357216161805012e-01) + w * V(1.479819860511658591e-01))));
  const V tail = s * (half_square + (even + odd)) + exponent * V(kLn2Low);
  const V result = exponent * V(kLn2High) - ((half_square - tail) - f);
  return Bits::choose(x == V(0.0), V(-kInfinity), result);
}

/// base^exponent for base >= 0; 0^0 is 1.
template <class V>
V pow(V base, V exponent) {
  const V result = elementary::exp(exponent * elementary::log(base));
  return BitsOf<V>::choose(exponent == V(0.0), V(1.0), result);
}

/// The x >= 0 with x (1 + m x)^q = c, for c >= 0, m > 0, q > 0: where two costs that grow by different powers balance
/// (docs/theory/lifecycle.md). Newton's method on t = ln(m x) in t + q ln(1 + e^t) = ln(m c): the left side is convex and
/// its slope lies between 1 and 1 + q, and the start is above the root, so that every step comes closer.
template <class V>
V balance(V c, V m, V q) {
  constexpr int kSteps = 14;  // of which the last few change nothing any more
  using Bits = BitsOf<V>;
  const V wanted = elementary::log(m * c);
  const V for_large = wanted / (V(1.0) + q);
  V t = Bits::choose(wanted < for_large, wanted, for_large);
  for (int step = 0; step < kSteps; ++step) {
    const V y = elementary::exp(t);
    const V excess = (t + q * elementary::log(V(1.0) + y)) - wanted;
    t = t - excess / (V(1.0) + q * (y / (V(1.0) + y)));
  }
  return Bits::choose(c == V(0.0), V(0.0), elementary::exp(t) / m);
}

}  // namespace elementary
}  // namespace ridge
