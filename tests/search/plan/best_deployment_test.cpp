// Whoever prices tokens and names no layout gets the planner's choice.

#include "search/plan/best_deployment.hpp"

#include <cmath>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "layout/whole_nodes.hpp"

namespace best_deployment_test {

using namespace ridge;
using doctest::Approx;
using ridge::testing::library;

namespace {

ServingQuestion asked(const char* model, const char* machine) {
  ServingQuestion question;
  question.scenario.model = model;
  question.scenario.machine = machine;
  return question;
}

double cost_of(const Deployed& chosen) { return evaluate(chosen.deployment, chosen.load.load).cost.value(); }

}  // namespace

TEST_CASE("without a layout it is the plan's choice, at the plan's load") {
  const ServingQuestion question = asked("deepseek-v3", "hgx-h200");
  PlanRequest request;
  request.question = question;
  request.machines = {"hgx-h200"};
  request.tpot = Seconds<double>(0.05);
  const PlanPoint best = make_plan(request, library())->search.best.value();
  const Deployed chosen = best_deployed(question, {}, library()).value();
  CHECK(chosen.deployment.layout() == best.layout);
  CHECK(chosen.load.load.concurrency == best.concurrency);
  CHECK(cost_of(chosen) == Approx(best.cost).epsilon(1e-12));
  // the fewest chips that hold the load cost more
  CHECK(cost_of(chosen) < cost_of(deployed(question, {}, library()).value()));
}

TEST_CASE("a layout that is named is kept, and so is a load") {
  ServingQuestion question = asked("llama-3.1-8b", "hgx-h100");
  question.tensor = 4;
  CHECK(best_deployed(question, {}, library())->deployment.layout().chips() == 4);
  question.tensor.reset();
  question.concurrency = 40;
  const Deployed loaded = best_deployed(question, {}, library()).value();
  CHECK(loaded.load.load.concurrency == 40);
  for (const double tensor : {1.0, 2.0, 4.0, 8.0}) {
    question.tensor = tensor;
    CHECK(cost_of(loaded) <= cost_of(deployed(question, {}, library()).value()) * (1 + 1e-12));
  }
}

/// Every layout within 8 chips as it is deployed by itself, prefill beside decode or apart, where it fits within 50 ms a token.
std::vector<Deployed> each_layout(const ServingQuestion& question, const Model& model) {
  std::vector<Deployed> out;
  for (const Layout& layout : all_layouts(model, {}, 8, 8)) {
    for (const bool apart : {false, true}) {
      ServingQuestion other = question;
      other.tensor = layout.tensor;
      other.pipeline = layout.pipeline;
      other.context = layout.context;
      other.attention_data = layout.attention_data;
      other.expert = layout.expert;
      other.redundant_experts = layout.redundant_experts;
      other.disaggregated = apart;
      auto tried = deployed(other, {}, library());
      if (!tried) continue;
      const ServingEstimate estimate = evaluate(tried->deployment, tried->load.load);
      if (fits(tried->deployment, estimate) && estimate.times.tpot.value() <= 0.05) out.push_back(std::move(*tried));
    }
  }
  return out;
}

TEST_CASE("a demand is served by whole nodes at the lowest bill of all layouts") {
  // the fewest chips, larger replicas, prefill beside decode or apart: nothing that is asked about by itself costs less
  for (const auto& [model, machine, weights] :
       {std::tuple{"llama-3.1-70b", "hgx-h100", "bf16"}, std::tuple{"llama-3.3-70b", "hgx-h100", "fp8"},
        std::tuple{"deepseek-v3", "hgx-h200", "fp8-block128"}}) {
    ServingQuestion question = asked(model, machine);
    question.scenario.weights = weights;
    std::vector<Deployed> others;  // the same for every demand
    for (const double per_day : {1e7, 1e8, 7e8, 5e9}) {
      CAPTURE(model);
      CAPTURE(per_day);
      const double demand = per_day / 86400;
      const auto bill = [&](const Deployed& chosen) {
        const ServingEstimate one = evaluate(chosen.deployment, chosen.load.load);
        const double busy = demand / one.total_rate.value();
        const ReplicaPool decode{std::ceil(busy), chosen.deployment.layout().chips()};
        const bool apart = chosen.deployment.ground.engine.disaggregated;
        const ReplicaPool prefill{apart ? std::ceil(busy * one.prefill_replicas.value()) : 0,
                                  chosen.deployment.prefill.layout.chips()};
        return nodes_for(decode, prefill, 8);
      };
      const Deployed fit =
          best_deployed(question, {.slo = {}, .tokens_per_second = demand, .threads = 1}, library()).value();
      if (others.empty()) others = each_layout(question, *fit.deployment.ground.model);
      CHECK(others.size() > 10);
      for (const Deployed& other : others) CHECK(bill(fit) <= bill(other) * (1 + 1e-9));
    }
  }
}

TEST_CASE("where no deployment meets the SLO the nearest is taken, and says so") {
  ServingQuestion question = asked("llama-3.1-405b", "hgx-h100");
  question.scenario.weights = "fp8";
  const TpotSlo too_fast{Seconds<double>(1e-3), true};
  const Deployed slow =
      best_deployed(question, {.slo = too_fast, .tokens_per_second = {}, .threads = 1}, library()).value();
  CHECK(slow.load.notes.back().find("no deployment meets a TPOT of 1 ms") == 0);
  CHECK(evaluate(slow.deployment, slow.load.load).times.tpot.value() > 1e-3);
}

}  // namespace best_deployment_test
