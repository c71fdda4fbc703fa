// Does interval arithmetic enclose, and does it stay tight on what it can know?

#include "base/number/interval.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <doctest/doctest.h>

namespace interval_test {

using ridge::Interval;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Interval random_interval(std::mt19937_64& random, double low, double high) {
  std::uniform_real_distribution<double> value(low, high);
  const double a = value(random), b = value(random);
  return {std::fmin(a, b), std::fmax(a, b)};
}

double point_in(std::mt19937_64& random, const Interval& x) {
  return std::fmin(x.high, std::uniform_real_distribution<double>(x.low, std::nextafter(x.high, kInfinity))(random));
}

/// Whether `close` is `exact` but for rounding: a few units in the last place.
bool hugs(const Interval& close, double low, double high) {
  return close.contains(low) && close.contains(high) && std::fabs(close.low - low) <= 4e-16 * std::fabs(low) + 1e-300 &&
         std::fabs(close.high - high) <= 4e-16 * std::fabs(high) + 1e-300;
}

}  // namespace

TEST_CASE("each operation on known intervals gives the known interval") {
  const Interval a(1, 2), b(3, 5), mixed(-2, 4);
  CHECK(hugs(a + b, 4, 7));
  CHECK(hugs(a - b, -4, -1));
  CHECK(hugs(a * b, 3, 10));
  CHECK(hugs(a / b, 0.2, 2.0 / 3.0));
  CHECK(hugs(mixed * b, -10, 20));     // -2 * 5, 4 * 5
  CHECK(hugs(mixed * mixed, -8, 16));  // -2 * 4, 4 * 4: the two factors are not known to be the same
  CHECK(max(mixed, a) == Interval(1, 4));
  CHECK(min(mixed, a) == Interval(-2, 2));
  CHECK(hugs(sqrt(Interval(4, 9)), 2, 3));
  CHECK(pow(Interval(0.5), Interval(1, 3)).contains(0.125));
  CHECK(pow(Interval(0.5), Interval(1, 3)).contains(0.5));
  CHECK(pow(Interval(0.5), Interval(1, 3)).width() < 0.375 * (1 + 1e-14));  // 1/2 - 1/8
}

TEST_CASE("dividing by what may be zero is unbounded, not an error") {
  CHECK(Interval(1, 2) / Interval(-1, 1) == Interval::whole_line());
  CHECK(Interval(1, 2) / Interval(0.0) == Interval::whole_line());
  CHECK(divide_or_unbounded(Interval(1, 2), Interval(-3, -1)) == Interval(kInfinity, kInfinity));
  const Interval crossing = divide_or_unbounded(Interval(1, 2), Interval(-3, 4));
  CHECK(crossing.high == kInfinity);
  CHECK(crossing.low == doctest::Approx(0.25));
}

TEST_CASE("a crossing with a numerator that may be negative contains every crossing") {
  // batch_limit divides (memory there - weights), which is negative where the weights do not fit.
  // by hand: [-10, -5] / [1, 2] runs from -10 / 1 to -5 / 2
  const Interval both_negative = divide_or_unbounded(Interval(-10, -5), Interval(1, 2));
  CHECK(both_negative.contains(-10.0));
  CHECK(both_negative.contains(-2.5));
  // [-10, 6] / [1, 2] runs from -10 / 1 to 6 / 1
  const Interval mixed = divide_or_unbounded(Interval(-10, 6), Interval(1, 2));
  CHECK(mixed.contains(-10.0));
  CHECK(mixed.contains(6.0));
  // a divisor that comes down to zero sends a negative numerator to minus infinity
  CHECK(divide_or_unbounded(Interval(-10, -5), Interval(0, 2)).contains(-1e300));
}

TEST_CASE("every operation contains the result at every pair of points") {
  std::mt19937_64 random(11);
  INFO("seed 11");
  for (int i = 0; i < 20000; ++i) {
    const Interval a = random_interval(random, -3, 5), b = random_interval(random, 0.001, 7),
                   base = random_interval(random, 0, 1.5);
    const double x = point_in(random, a), y = point_in(random, b), z = point_in(random, base);
    CHECK((a + b).contains(x + y));
    CHECK((a - b).contains(x - y));
    CHECK((a * b).contains(x * y));
    CHECK((a / b).contains(x / y));
    CHECK(max(a, b).contains(ridge::max(x, y)));
    CHECK(min(a, b).contains(ridge::min(x, y)));
    CHECK(sqrt(b).contains(ridge::sqrt(y)));
    CHECK(pow(base, b).contains(ridge::pow(z, y)));
    CHECK(divide_or_unbounded(b, a).contains(ridge::divide_or_unbounded(y, x)));
    CHECK(divide_or_unbounded(a, b).contains(ridge::divide_or_unbounded(x, y)));
  }
}

TEST_CASE("a point stays a point but for rounding") {
  const Interval third = Interval(1.0) / Interval(3.0);
  CHECK(third.contains(1.0 / 3.0));
  CHECK(third.width() <= 2 * 0x1p-53);
  CHECK(pow(Interval(0.96875), Interval(128.0)).width() < 1e-15);
}

TEST_CASE("the slope over an interval contains the slope at every point") {
  using Slope = ridge::BasicDual<Interval>;
  std::mt19937_64 random(12);
  INFO("seed 12");
  for (int i = 0; i < 5000; ++i) {
    const Interval range = random_interval(random, 0.1, 3);
    const double x = point_in(random, range);
    const auto f = []<class D>(const D& v, auto constant) {
      return max(v * v / (v + constant(1.0)), pow(constant(0.7), v)) + divide_or_unbounded(constant(2.0), v) * sqrt(v) -
             min(v, constant(1.5));
    };
    const Slope over = f(Slope(range, Interval(1.0)), [](double c) { return Slope(c); });
    const ridge::Dual at = f(ridge::Dual(x, 1.0), [](double c) { return ridge::Dual(c); });
    CHECK(over.value.contains(at.value));
    // the slope at a point is itself rounded; a relative 1e-13 is far above that and far below any width here
    CHECK(over.slope.low <= at.slope + 1e-13 * std::fabs(at.slope));
    CHECK(over.slope.high >= at.slope - 1e-13 * std::fabs(at.slope));
  }
}

}  // namespace interval_test
