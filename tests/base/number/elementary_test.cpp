// Are our exp, log and pow right? Judged against the C library's long double functions, whose 64-bit mantissas leave
// errors of 2^-11 of one of our units in the last place.

#include "base/number/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "repeats.hpp"

namespace {

namespace elementary = ridge::elementary;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSamples = ridge::repeats(200000);

/// Distance from the true value in units of the last place of a double of that size.
double ulps(double got, long double truth) {
  if (static_cast<long double>(got) == truth) return 0.0;
  const double unit = std::ldexp(1.0, std::ilogb(static_cast<double>(truth)) - 52);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - truth)) / unit;
}

template <class Error>
double worst(unsigned seed, Error&& error) {
  std::mt19937_64 random(seed);
  double most = 0.0;
  for (int i = 0; i < kSamples; ++i) most = std::max(most, error(random));
  return most;
}

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

}  // namespace

TEST_CASE("exp is within 2 units in the last place from e^-708 to e^709") {
  const double wide = worst(1, [](auto& random) {
    const double x = uniform(random, -708.0, 709.0);
    return ulps(elementary::exp(x), std::exp(static_cast<long double>(x)));
  });
  const double near_zero = worst(2, [](auto& random) {
    const double x = uniform(random, -1.0, 1.0) * std::exp2(uniform(random, -60.0, 0.0));
    return ulps(elementary::exp(x), std::exp(static_cast<long double>(x)));
  });
  MESSAGE("seeds 1, 2: exp worst ", wide, " ulp, near zero ", near_zero, " ulp");
  CHECK(wide < 2.0);
  CHECK(near_zero < 2.0);
}

TEST_CASE("log is within 2 units in the last place over all normal numbers") {
  const double wide = worst(3, [](auto& random) {
    const double x = std::exp2(uniform(random, -1022.0, 1023.99));
    return ulps(elementary::log(x), std::log(static_cast<long double>(x)));
  });
  const double near_one = worst(4, [](auto& random) {
    const double x = 1.0 + uniform(random, -0.5, 1.0) * std::exp2(uniform(random, -50.0, 0.0));
    return ulps(elementary::log(x), std::log(static_cast<long double>(x)));
  });
  MESSAGE("seeds 3, 4: log worst ", wide, " ulp, near one ", near_one, " ulp");
  CHECK(wide < 2.0);
  CHECK(near_one < 2.0);
}

TEST_CASE("a power is off by a few units in the last place for each unit of its exponent's size") {
  // pow is exp(y) with y = exponent * log(base): y is off by about 1.5 units in its last place (log's error and one
  // rounding), each worth up to |y| units of the result, and exp adds its own. 2 + 2 |y| units hold that with room.
  const double share = worst(5, [](auto& random) {
    const double base = std::exp2(uniform(random, -40.0, 40.0));
    const double y = uniform(random, -600.0, 600.0);
    const double exponent = y / std::log(base);
    const double size = std::fabs(y);
    return ulps(elementary::pow(base, exponent),
                std::pow(static_cast<long double>(base), static_cast<long double>(exponent))) /
           (2.0 + 2.0 * size);
  });
  MESSAGE("seed 5: pow worst ", share, " of the allowed 2 + 2 |y| ulp");
  CHECK(share < 1.0);
}

TEST_CASE("a power between 1/2 and 2 is within 3 units in the last place") {
  // |y| < ln 2 here: the bound above, 2 + 2 |y|, is 3.4; 1.95 was measured
  const double most = worst(6, [](auto& random) {
    const double base = uniform(random, 0.5, 2.0);
    const double exponent = uniform(random, 0.0, 1.0);
    return ulps(elementary::pow(base, exponent),
                std::pow(static_cast<long double>(base), static_cast<long double>(exponent)));
  });
  MESSAGE("seed 6: pow with |y| < ln 2 worst ", most, " ulp");
  CHECK(most < 3.0);
}

TEST_CASE("the share of experts touched is within 2 units in the last place of one, at every batch and sparsity") {
  // 1 - (1 - p)^B is what the equations use pow for; e^-y shrinks faster than the error, |y|, grows: y e^-y <= 1/e.
  const double most = worst(7, [](auto& random) {
    const double p = std::exp2(uniform(random, -12.0, -0.01));
    const double batch = std::exp2(uniform(random, 0.0, 24.0));
    const double base = 1.0 - p;
    const long double truth = 1.0L - std::pow(static_cast<long double>(base), static_cast<long double>(batch));
    return static_cast<double>(std::fabs(static_cast<long double>(1.0 - elementary::pow(base, batch)) - truth)) /
           0x1p-52;
  });
  MESSAGE("seed 7: touched worst ", most, " x 2^-52");
  CHECK(most < 2.0);
}

TEST_CASE("the edges of exp, log and pow have their exact values") {
  CHECK(elementary::exp(0.0) == 1.0);
  CHECK(elementary::exp(-0.0) == 1.0);
  CHECK(elementary::exp(1e-320) == 1.0);
  CHECK(elementary::exp(-1e300) == 0.0);
  CHECK(elementary::exp(-kInfinity) == 0.0);
  CHECK(elementary::exp(1e300) == kInfinity);
  CHECK(elementary::exp(kInfinity) == kInfinity);
  CHECK(elementary::log(1.0) == 0.0);
  CHECK(elementary::log(0.0) == -kInfinity);
  CHECK(ulps(elementary::log(std::numeric_limits<double>::min()),
             std::log(static_cast<long double>(std::numeric_limits<double>::min()))) < 2.0);
  CHECK(ulps(elementary::log(std::numeric_limits<double>::max()),
             std::log(static_cast<long double>(std::numeric_limits<double>::max()))) < 2.0);
  CHECK(elementary::pow(0.0, 0.0) == 1.0);  // no expert left out, no token: nothing is touched
  CHECK(elementary::pow(0.0, 1.0) == 0.0);
  CHECK(elementary::pow(0.0, 1e30) == 0.0);
  CHECK(elementary::pow(1.0, 1e30) == 1.0);
  CHECK(elementary::pow(5.0, 0.0) == 1.0);
  CHECK(elementary::pow(0.5, 1e30) == 0.0);
  CHECK(elementary::pow(2.0, 1e30) == kInfinity);
  CHECK(elementary::pow(1e-300, 1e-300) == 1.0);
}
