// Does a target hold as often as the interval says, and is a margin the way back?

#include "serve/slo/slo_odds.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "base/number/normal.hpp"
#include "catalog_library.hpp"

namespace slo_odds_test {

using namespace ridge;
using doctest::Approx;

namespace {

/// Half of the runs within 5 % of the estimate, 80 % within 10 %, 95 % within 25 %, in the logarithm.
AnswerErrors some_errors() {
  AnswerErrors out;
  out.known = true;
  for (auto& factor : out.factor) factor = {std::exp(0.05), std::exp(0.10), std::exp(0.25)};
  return out;
}

double odds(double estimate, double target, const AnswerErrors& errors = some_errors()) {
  return odds_within(estimate, target, errors, SpreadFigure::tpot);
}
double margin(double confidence, const AnswerErrors& errors = some_errors()) {
  return margin_at(confidence, errors, SpreadFigure::tpot);
}

}  // namespace

TEST_CASE("normal shares and quantiles are those of the tables") {
  CHECK(normal_share(0) == 0.5);
  CHECK(normal_share(1.959963984540054) == Approx(0.975).epsilon(1e-12));
  CHECK(normal_quantile(0.5) == 0);
  CHECK(normal_quantile(0.9) == Approx(1.2815515655446004).epsilon(1e-12));
  CHECK(normal_quantile(0.1) == Approx(-1.2815515655446004).epsilon(1e-12));
  CHECK(std::isinf(normal_quantile(1)));
}

TEST_CASE("a target at an end of an interval holds as often as the interval's level says, counted to one side") {
  CHECK(odds(20, 20) == Approx(0.5));
  CHECK(odds(20, 20 * std::exp(0.05)) == Approx(0.75));
  CHECK(odds(20, 20 * std::exp(0.10)) == Approx(0.90));
  CHECK(odds(20, 20 * std::exp(0.25)) == Approx(0.975));
  CHECK(odds(20, 20 * std::exp(-0.10)) == Approx(0.10));
}

TEST_CASE("between levels a quantile is linear, and beyond the last it goes on with its slope") {
  // halfway from 80 to 95 %: z = (1.28155 + 1.95996) / 2 = 1.62076, whose share is 0.94746
  CHECK(odds(1, std::exp(0.175)) == Approx(0.94746).epsilon(1e-4));
  // as far again beyond 0.25: z = 1.95996 + 0.67841 = 2.63838, whose share is 0.99583
  CHECK(odds(1, std::exp(0.40)) == Approx(0.99583).epsilon(1e-4));
}

TEST_CASE("a margin is the way back from the odds") {
  CHECK(margin(0.5) == 1);
  CHECK(margin(0.9) == Approx(std::exp(0.10)));
  CHECK(margin(0.1) == Approx(std::exp(-0.10)));
  CHECK(std::isinf(margin(1)));
  for (const double confidence : {0.01, 0.2, 0.5, 0.6, 0.75, 0.8, 0.9, 0.97, 0.999})
    CHECK(odds(30, 30 * margin(confidence)) == Approx(confidence).epsilon(1e-9));
}

TEST_CASE("at 90 % the margin is the upper end of the 80 % interval, in every figure of the catalog's spread") {
  const AnswerErrors errors = errors_in({}, error_spread(ridge::testing::library()));
  for (std::size_t i = 0; i < kSpreadFigures; ++i) {
    const auto figure = static_cast<SpreadFigure>(i);
    CHECK(margin_at(kPlanConfidence, errors, figure) == Approx(errors.around(1, figure).high));
  }
}

TEST_CASE("where no error is known a target holds or does not, and there is no margin") {
  const AnswerErrors unknown = errors_in({}, {});
  CHECK(odds(10, 10, unknown) == 1);
  CHECK(odds(10, 9.99, unknown) == 0);
  CHECK(margin(0.9, unknown) == 1);
}

TEST_CASE("levels that reach equally far make a step and no nonsense") {
  AnswerErrors errors = some_errors();
  for (auto& factor : errors.factor) factor = {std::exp(0.1), std::exp(0.1), std::exp(0.1)};
  double before = 0;
  for (const double distance : {-0.3, -0.1, -0.05, 0.0, 0.05, 0.0999, 0.1, 0.2, 0.5}) {
    const double now = odds(1, std::exp(distance), errors);
    CHECK(now >= before);
    CHECK(now <= 1);
    before = now;
  }
  CHECK(margin(0.99, errors) == Approx(std::exp(0.1)));
}

}  // namespace slo_odds_test
