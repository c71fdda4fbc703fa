// Is balance the root it says, in every reading?

#include <cmath>

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/lanes.hpp"
#include "base/number/traced.hpp"

using namespace ridge;
using doctest::Approx;

namespace {

constexpr double kCs[] = {1e-30, 1e-6, 0.1, 1.0, 3.0, 54.7, 1e4, 1e12, 1e30};
constexpr double kMs[] = {1e-3, 0.5126, 1.0, 20.0};
constexpr double kQs[] = {1e-3, 0.5, 1.0, 2.734, 8.0, 100.0};

template <class Visit>
void for_all(Visit&& visit) {
  for (const double c : kCs) {
    for (const double m : kMs) {
      for (const double q : kQs) visit(c, m, q);
    }
  }
}

}  // namespace

TEST_CASE("balance(c, m, q) is the x with x (1 + m x)^q = c") {
  for_all([](double c, double m, double q) {
    CAPTURE(c);
    CAPTURE(m);
    CAPTURE(q);
    const double x = balance(c, m, q);
    CHECK(std::log(x) + q * std::log1p(m * x) == Approx(std::log(c)).epsilon(1e-12).scale(1));
  });
  CHECK(balance(0.0, 0.5, 2.0) == 0.0);
  // by hand: 2 (1 + 2)^1 = 6 with m = 1, and 3 (1 + 0.5 x 3)^2 = 18.75
  CHECK(balance(6.0, 1.0, 1.0) == Approx(2).epsilon(1e-14));
  CHECK(balance(18.75, 0.5, 2.0) == Approx(3).epsilon(1e-14));
}

TEST_CASE("balance rises with c and falls with m and q") {
  for_all([](double c, double m, double q) {
    const double x = balance(c, m, q);
    CHECK(balance(c * 1.01, m, q) > x);
    CHECK(balance(c, m * 1.01, q) <= x * (1 + 1e-13));  // equal to rounding where c is tiny
    CHECK(balance(c, m, q * 1.01) <= x * (1 + 1e-13));
  });
}

TEST_CASE("the slopes of balance and log are those of finite differences") {
  const double step = 1e-6;
  for (const double c : {0.3, 5.0, 54.7}) {
    const double m = 0.5126, q = 2.734;
    const auto slope = [&](int along) {
      return balance(Dual(c, along == 0 ? 1.0 : 0.0), Dual(m, along == 1 ? 1.0 : 0.0), Dual(q, along == 2 ? 1.0 : 0.0))
          .slope;
    };
    CHECK(slope(0) == Approx((balance(c + step, m, q) - balance(c - step, m, q)) / (2 * step)).epsilon(1e-6));
    CHECK(slope(1) == Approx((balance(c, m + step, q) - balance(c, m - step, q)) / (2 * step)).epsilon(1e-6));
    CHECK(slope(2) == Approx((balance(c, m, q + step) - balance(c, m, q - step)) / (2 * step)).epsilon(1e-6));
    CHECK(log(Dual(c, 1.0)).slope == Approx(1 / c));
  }
}

TEST_CASE("all readings of balance and log agree") {
  for_all([](double c, double m, double q) {
    const double x = balance(c, m, q);
    double all[Lanes::size()];
    balance(Lanes(c), Lanes(m), Lanes(q)).store(all);
    CHECK(all[0] == x);
    CHECK(balance(Dual(c), Dual(m), Dual(q)).value == x);
    CHECK(balance(Traced(c), Traced(m), Traced(q)).value() == x);
    const Interval around = balance(Interval(c), Interval(m), Interval(q));
    CHECK(around.contains(x));
    CHECK(around.width() <= 3e-13 * x);
    log(Lanes(c)).store(all);
    CHECK(all[0] == ridge::log(c));
    CHECK(log(Interval(c)).contains(std::log(c)));
  });
}

TEST_CASE("an interval of balance holds its value at every point of the box") {
  const Interval c(2.0, 9.0), m(0.3, 0.7), q(1.5, 4.0);
  const Interval over = balance(c, m, q);
  for (int i = 0; i <= 10; ++i) {
    const double t = i / 10.0;
    CHECK(over.contains(balance(c.low + t * c.width(), m.high - t * m.width(), q.low + t * q.width())));
    CHECK(over.contains(balance(c.high - t * c.width(), m.high - t * m.width(), q.low + t * q.width())));
  }
  CHECK(over.contains(balance(9.0, 0.3, 1.5)));
  CHECK(over.contains(balance(2.0, 0.7, 4.0)));
}
