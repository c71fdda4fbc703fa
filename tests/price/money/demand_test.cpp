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
    CHECK_FALSE(one.by_share);
    // 168e9 tokens / 86,400 s = 1.944 Mtok/s; 2,444 / 2.387 ms = 1.024 Mtok/s
    CHECK(one.share.value() == Approx(1.024 / 1.944).epsilon(2e-3));
  }
}

TEST_CASE("what is published of input and output together is compared by its output alone") {
  for (const TrafficShare& one : asked().traffic) {
    if (one.name != "google-2026-05") continue;
    REQUIRE(one.by_share);
    CHECK(one.by_share->from.kind == Kind::assumed);
    // 1.217 Gtok/s of input and output, 21.6 % of them output as in DeepSeek's day (168 of 776): 262.9 Mtok/s, over
    // 1.024 Mtok/s of output: 256.7 deployments, where 1.217 Gtok/s over the output of one would be 1,189
    CHECK(one.output.value() == Approx(0.216 * 1.217e9));
    CHECK(one.deployments.value() == Approx(256.7).epsilon(2e-3));
  }
}

TEST_CASE("the headline of sparsity is what its table says") {
  CHECK(sparsity_verdict(asked().curves) == SparsityVerdict::with_users);
  DemandQuestion question;
  question.scenario.model = "llama-3.1-70b";
  question.scenario.machine = "hgx-h100";
  question.scenario.given = {{"batch", 64, {}}, {"context", 4000, {}}};
  question.given_batch = true;
  const DemandAnswer dense = answer_demand(question, library()).value();
  for (const SparsityCurve& curve : dense.curves) CHECK(curve.best == 0);
  CHECK(sparsity_verdict(dense.curves) == SparsityVerdict::never);
  SparsityCurve few, many;
  few.streams = Ratio<double>(10.0);
  many.streams = Ratio<double>(100.0);
  few.best = many.best = 3;
  CHECK(sparsity_verdict({few, many}) == SparsityVerdict::always_same);
  many.best = 2;
  CHECK(sparsity_verdict({few, many}) == SparsityVerdict::mixed);
  CHECK(sparsity_verdict({many, few}) == SparsityVerdict::mixed);  // in any order
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
