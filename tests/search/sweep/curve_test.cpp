// Are the lecture's curves drawn over the right points, and do they refuse what is no range?

#include "search/sweep/curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"
#include "catalog_library.hpp"

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

WhyAnswer answer(const std::string& model = "deepseek-v3", const std::string& machine = "gb200-nvl72") {
  Scenario scenario;
  scenario.model = model;
  scenario.machine = machine;
  return answer_why(scenario, library()).value();
}

Curve curve(CurveKind kind, double from = 0, double to = 0, int points = 0) {
  return make_curve(answer(), {kind, from, to, points}, best_instruction_set()).value();
}

Errors refused(const CurveRequest& request, const WhyAnswer& of) {
  const auto made = make_curve(of, request, best_instruction_set());
  REQUIRE_FALSE(made.has_value());
  CHECK_FALSE(made.error().front().hint.empty());
  return made.error();
}

}  // namespace

TEST_CASE("every kind of curve has points without being told any, in rising order and of one length") {
  for (const CurveKind kind : {CurveKind::batch, CurveKind::context, CurveKind::chips, CurveKind::sparsity}) {
    CAPTURE(name_of(kind));
    const Curve made = curve(kind);
    CHECK(made.x.size() >= 2);
    CHECK(std::is_sorted(made.x.begin(), made.x.end()));
    CHECK(std::adjacent_find(made.x.begin(), made.x.end()) == made.x.end());
    for (const auto& values : made.columns) CHECK(values.size() == made.x.size());
    CHECK(parse_curve_kind(name_of(kind)).value() == kind);
  }
}

TEST_CASE("a curve runs from its first to its last point in even steps of the logarithm") {
  const Curve made = curve(CurveKind::batch, 1, 1024, 11);
  REQUIRE(made.x.size() == 11);
  for (std::size_t i = 0; i < 11; ++i) CHECK(made.x[i] == std::exp2(static_cast<double>(i)));
  // whole numbers that fall together are drawn once: 1 .. 4 in 50 points has 4 of them
  CHECK(curve(CurveKind::batch, 1, 4, 50).x == std::vector<double>{1, 2, 3, 4});
  CHECK(curve(CurveKind::batch, 3, 1000, 7).x.front() == 3);
  CHECK(curve(CurveKind::batch, 3, 1000, 7).x.back() == 1000);
  CHECK(curve(CurveKind::batch, 1, 10, 2).x == std::vector<double>{1, 10});
}

TEST_CASE("a point of a curve is the answer at that point") {
  const Curve made = curve(CurveKind::context, 1000, 100000, 3);  // 1,000, 10,000 and 100,000
  auto numbers = answer().resolved.numbers;
  REQUIRE(made.x == std::vector<double>{1000, 10000, 100000});
  for (std::size_t i = 0; i < made.x.size(); ++i) {
    numbers.context = Tokens<double>(made.x[i]);
    CHECK(column(made, "step_time")[i] == estimate_decode(numbers).step_time.value());
    CHECK(column(made, "cost")[i] == estimate_decode(numbers).cost.value());
  }
}

TEST_CASE("a more sparse model has the same active parameters and compute, and more to read") {
  const Curve made = curve(CurveKind::sparsity, 2, 64, 9);
  const auto& c = answer().resolved.numbers;
  const double dense = c.params_dense.value() + c.params_lookup.value();
  const double active = dense + c.params_routed.value() * c.experts_per_token.value() / c.experts.value();
  REQUIRE(made.axes.size() == 2);
  for (std::size_t i = 0; i < made.x.size(); ++i) {
    const double routed = made.axes[0].values[i], experts = made.axes[1].values[i];
    CHECK(dense + routed * c.experts_per_token.value() / experts == Approx(active).epsilon(1e-12));
    CHECK((dense + routed) / active == Approx(made.x[i]).epsilon(1e-12));  // x is total over active parameters
    CHECK(column(made, "compute_time")[i] == Approx(column(made, "compute_time")[0]).epsilon(1e-12));
    CHECK(experts >= c.experts_per_token.value());
    if (i > 0) CHECK(column(made, "weights_stored")[i] > column(made, "weights_stored")[i - 1]);
  }
  // DeepSeek-V3 itself, total over active 671.0 / 37.55 = 17.87, lies on the curve
  CHECK(curve(CurveKind::sparsity, 671026419200.0 / 37552297472.0, 32, 2).axes[1].values.front() ==
        Approx(256).epsilon(1e-9));
}

TEST_CASE("a model without experts has no sparsity to vary") {
  const Errors errors = refused({CurveKind::sparsity, 0, 0, 0}, answer("llama-3-70b", "hgx-h100"));
  CHECK(errors.front().what.find("no routed experts") != std::string::npos);
}

TEST_CASE("what is no range is refused") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const WhyAnswer of = answer();
  refused({CurveKind::batch, 100, 10, 5}, of);
  refused({CurveKind::batch, 10, 10, 5}, of);
  refused({CurveKind::batch, -1, 10, 5}, of);
  refused({CurveKind::batch, 1, kInfinity, 5}, of);
  refused({CurveKind::batch, 1, std::nan(""), 5}, of);
  refused({CurveKind::batch, std::nan(""), 10, 5}, of);
  refused({CurveKind::batch, 1, 1e31, 5}, of);
  refused({CurveKind::batch, 1, 10, 100001}, of);
  refused({CurveKind::context, 1, 1e31, 5}, of);
  refused({CurveKind::chips, 1, 1e31, 5}, of);
  refused({CurveKind::batch, 1, 10, -5}, of);
  refused({CurveKind::batch, 1, 10, 1}, of);
  refused({CurveKind::sparsity, 0.5, 0.9, 5}, answer("mixtral-8x7b", "hgx-h100"));  // fewer experts than a token uses
}

TEST_CASE("an unknown kind of curve is refused with the nearest one") {
  const auto kind = parse_curve_kind("bach");
  REQUIRE_FALSE(kind.has_value());
  CHECK(kind.error().front().hint.find("batch") != std::string::npos);
}

TEST_CASE("the capacity limit is the first point that does not fit, or the last for chips") {
  const Curve batch = curve(CurveKind::batch, 1, 1e6, 21);
  REQUIRE(std::isfinite(batch.capacity_limit));
  for (std::size_t i = 0; i < batch.x.size(); ++i) {
    const bool fits = column(batch, "memory_needed")[i] <= column(batch, "memory_capacity")[i];
    CHECK(fits == (batch.x[i] < batch.capacity_limit));
  }
  const Curve chips = curve(CurveKind::chips, 1, 64, 7);
  for (std::size_t i = 0; i < chips.x.size(); ++i) {
    const bool fits = column(chips, "memory_needed")[i] <= column(chips, "memory_capacity")[i];
    CHECK(fits == (chips.x[i] > chips.capacity_limit));
  }
}
