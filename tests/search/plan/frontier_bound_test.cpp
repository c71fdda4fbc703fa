// Does the bound of a frontier hold what deployments reach, and does it count prefill?

#include "search/plan/frontier_bound.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace ridge::frontier_bound_test {

using doctest::Approx;
using ridge::testing::library;

PlanRequest asked(const std::string& model, const std::string& machine, double isl, double osl) {
  PlanRequest request;
  request.question.scenario.model = model;
  request.question.scenario.machine = machine;
  request.question.isl = isl;
  request.question.osl = osl;
  request.machines = {machine};
  return request;
}

TEST_CASE("no deployment of a plan is above the bound of its frontier") {
  for (const PlanRequest& request :
       {asked("llama-3.1-8b", "hgx-h100", 1000, 500), asked("llama-3.1-70b", "hgx-h200", 200, 2000),
        asked("deepseek-v3", "hgx-b200", 8000, 1000)}) {
    CAPTURE(request.question.scenario.model);
    const auto plan = make_plan(request, library());
    REQUIRE(plan);
    const auto bounds = frontier_bounds(plan->request, library());
    REQUIRE(bounds.size() == 1);
    REQUIRE(!plan->search.frontier.candidates().empty());
    for (const auto& one : plan->search.frontier.candidates()) {
      CAPTURE(one.point.user_rate);
      CHECK(one.point.chip_rate < chip_rate_at(bounds[0], one.point.user_rate));
    }
  }
}

TEST_CASE("the bound falls from the fullest batch to a batch of one, and ends there") {
  const auto bounds = frontier_bounds(asked("deepseek-v3", "gb200-nvl72", 8192, 1024), library());
  REQUIRE(bounds.size() == 1);
  const auto& points = bounds[0].points;
  REQUIRE(points.size() > 10);
  for (std::size_t i = 1; i < points.size(); ++i) {
    CHECK(points[i].user_rate > points[i - 1].user_rate);
    CHECK(points[i].chip_rate <= points[i - 1].chip_rate * (1 + 1e-9));
  }
  CHECK(chip_rate_at(bounds[0], 0) == Approx(points.front().chip_rate));
  CHECK(chip_rate_at(bounds[0], points.back().user_rate * 1.001) == 0);
}

TEST_CASE("the bound of a small model, worked out by hand") {
  // Llama 3.1 8B in bf16 on eight H100: a step of one request reads 16.06 GB less the embedding table of 1.05 GB, and
  // 1,250 tokens of KV of at most 131,072 B, 0.16 GB, at 8 x 3.35 TB/s: 0.560 to 0.566 ms.
  const auto alone = frontier_bounds(asked("llama-3.1-8b", "hgx-h100", 1000, 500), library());
  REQUIRE(alone.size() == 1);
  const BoundPoint one = alone[0].points.back();
  CHECK(one.user_rate > 1 / 0.568e-3);
  CHECK(one.user_rate < 1 / 0.559e-3);
  // 499 such steps on eight chips; prefill computes meanwhile
  CHECK(one.chip_rate == Approx(500 / (499 * 8 / one.user_rate)).epsilon(1e-6));
  // A prompt of 30,000 tokens for one token more than prefill gives, on chips of its own: 2 x 6.98e9 FLOP a token
  // without embedding and LM head, at 989.5 TFLOP/s 0.423 s, and one step
  PlanRequest apart = asked("llama-3.1-8b", "hgx-h100", 30000, 2);
  apart.aggregated = false;
  const auto long_prompts = frontier_bounds(apart, library());
  REQUIRE(long_prompts.size() == 1);
  const BoundPoint last = long_prompts[0].points.back();
  const double prefill = 30000 * 2 * 6.98e9 / 989.5e12;
  CHECK(last.chip_rate == Approx(2 / (prefill + 8 / last.user_rate)).epsilon(5e-3));
}

TEST_CASE("a longer prompt lowers the bound, and what is cached of it does not count") {
  const auto most = [](PlanRequest request, double cached) {
    request.question.cached = cached;
    const auto bounds = frontier_bounds(request, library());
    REQUIRE(bounds.size() == 1);
    return bounds[0].points.front().chip_rate;
  };
  const double plain = most(asked("deepseek-v3", "gb200-nvl72", 8192, 1024), 0);
  CHECK(most(asked("deepseek-v3", "gb200-nvl72", 16384, 1024), 0) < plain);
  CHECK(most(asked("deepseek-v3", "gb200-nvl72", 8192, 1024), 0.9) > 1.5 * plain);
}

}  // namespace ridge::frontier_bound_test
