// Are users, rates and batches consistent, and does sparsity pay only while there are users?

#include "price/money/demand.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "train/laws.hpp"

namespace demand_test {

namespace {

using doctest::Approx;
using namespace ridge;
using testing::library;

DemandAnswer asked(const std::vector<double>& streams = {}) {
  DemandQuestion question;
  question.scenario.model = "deepseek-v3";
  question.scenario.machine = "gb200-nvl72";
  question.scenario.kv = "fp8";
  for (const double many : streams) question.streams.emplace_back(many);
  return answer_demand(question, library()).value();
}

}  // namespace

TEST_CASE("tokens a second are the batch over its step, and users those over what one asks for") {
  const DemandAnswer answer = asked();
  for (const DemandPoint& point : answer.others) {
    CHECK(point.rate.value() == Approx(point.batch.value() / point.step.value()));
    CHECK(point.users.value() * answer.per_user.value() == Approx(point.rate.value()));
  }
  // README's example: 2,444 sequences balance compute and memory at 2.387 ms
  CHECK(answer.point.batch.value() == 2444);
  CHECK(answer.point.step.value() == Approx(2.387e-3).epsilon(1e-3));
  CHECK(answer.per_user_from.kind == Kind::assumed);
}

TEST_CASE("of DeepSeek's own day one rack at the bound would take about half") {
  const DemandAnswer answer = asked();
  for (const TrafficShare& one : answer.traffic) {
    CHECK(one.share.value() * one.deployments.value() == Approx(1));
    if (one.name != "deepseek-2025-02") continue;
    CHECK(one.output_only);
    // 168e9 tokens / 86,400 s = 1.944 Mtok/s; 2,444 / 2.387 ms = 1.024 Mtok/s
    CHECK(one.share.value() == Approx(1.024 / 1.944).epsilon(2e-3));
  }
}

TEST_CASE("more users pay for more sparsity, and never make a token more expensive") {
  const DemandAnswer answer = asked({16, 128, 1024, 8192, 65536, std::numeric_limits<double>::infinity()});
  for (std::size_t i = 1; i < answer.curves.size(); ++i) {
    const SparsityCurve &fewer = answer.curves[i - 1], &more = answer.curves[i];
    CHECK(more.best >= fewer.best);
    for (std::size_t point = 0; point < more.cost.size(); ++point) {
      if (std::isfinite(fewer.cost[point])) CHECK(more.cost[point] <= fewer.cost[point] * (1 + 1e-9));
    }
  }
  // with few users the cost falls and rises again; the least lies inside
  const SparsityCurve& some = answer.curves[2];
  CHECK(some.best > 0);
  CHECK(some.cost[some.best] < some.cost.front());
  CHECK(some.cost[some.best] < some.cost.back());
}

TEST_CASE("a sparser model of the same quality has fewer active parameters and is as good") {
  const auto law = expert_law(**usual_expert_law(library(), "")).value();
  const Params<double> dense(70e9);
  double last = 1e99;
  for (const double sparsity : {1.0, 2.0, 8.0, 64.0}) {
    const Params<double> active = active_for(law, dense, sparsity);
    CHECK(dense_equivalent(law, active, Ratio<double>(sparsity)).value() == Approx(70e9).epsilon(1e-6));
    CHECK(active.value() <= last);
    last = active.value();
  }
}

}  // namespace demand_test
