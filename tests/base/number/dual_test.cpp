// Does a dual number carry the slope of each operation? Slopes by hand in the comments.

#include "base/number/dual.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using doctest::Approx;
using ridge::Dual;

TEST_CASE("each operation has the slope of the school book") {
  const Dual x(3.0, 1.0), five(5.0);
  CHECK((x + five).slope == 1.0);
  CHECK((five - x).slope == -1.0);
  CHECK((x * x).slope == 6.0);                    // 2 x
  CHECK((five / x).slope == Approx(-5.0 / 9.0));  // -5 / x^2
  CHECK((x / five).slope == Approx(0.2));
  CHECK(sqrt(x).slope == Approx(0.5 / std::sqrt(3.0)));
  CHECK(pow(x, five).slope == Approx(405.0).epsilon(1e-13));                    // 5 x^4
  CHECK(pow(five, x).slope == Approx(125.0 * std::log(5.0)).epsilon(1e-13));    // 5^x ln 5
  CHECK(pow(x, x).slope == Approx(27.0 * (std::log(3.0) + 1)).epsilon(1e-13));  // x^x (ln x + 1)
}

TEST_CASE("max and min take the slope of the branch that is taken") {
  const Dual x(3.0, 1.0);
  CHECK(max(x, Dual(2.0)).slope == 1.0);
  CHECK(max(x, Dual(4.0)).slope == 0.0);
  CHECK(min(x, Dual(2.0)).slope == 0.0);
  CHECK(min(x, Dual(4.0)).slope == 1.0);
  CHECK_FALSE(max(x, Dual(2.0)).kink);
}

TEST_CASE("at a tie the slope is the one towards larger inputs, and is marked") {
  const Dual x(3.0, 1.0), three(3.0);
  CHECK(max(x, three).slope == 1.0);  // to the right of the tie x is the larger
  CHECK(min(x, three).slope == 0.0);  // and three the smaller
  CHECK(max(x, three).kink);
  CHECK((max(x, three) * Dual(2.0) + Dual(1.0)).kink);  // whatever is made of it keeps the mark
  CHECK_FALSE(max(x, x).kink);                          // a tie with equal slopes is no kink
}

TEST_CASE("a power of zero has a slope without a logarithm of zero") {
  // (1 - k/E)^B of a dense model: base 0. d/dbase of base^1 is 1, of base^2 at 0 is 0; d/dB of 0^B is 0 for B > 0.
  CHECK(pow(Dual(0.0, 1.0), Dual(1.0)).slope == 1.0);
  CHECK(pow(Dual(0.0, 1.0), Dual(2.0)).slope == 0.0);
  CHECK(pow(Dual(0.0), Dual(2.0, 1.0)).slope == 0.0);
  CHECK(pow(Dual(0.0), Dual(2.0, 1.0)).value == 0.0);
  CHECK(pow(Dual(2.0, 1.0), Dual(0.0)).slope == 0.0);
}

TEST_CASE("a crossing that does not exist has no slope") {
  const Dual none = divide_or_unbounded(Dual(1.0, 1.0), Dual(-2.0, 1.0));
  CHECK(none.value == std::numeric_limits<double>::infinity());
  CHECK(none.slope == 0.0);
  CHECK(divide_or_unbounded(Dual(6.0), Dual(2.0, 1.0)).slope == Approx(-1.5));  // -6 / 2^2
}
