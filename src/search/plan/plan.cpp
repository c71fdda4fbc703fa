#include "search/plan/plan.hpp"

#include <algorithm>

#include "search/plan/prepared_plan.hpp"

namespace ridge {

const PlanMachine* prefill_machine_of(const PlanAnswer& plan, const PlanPoint& point) {
  if (plan.prefill_machines.empty() || !point.disaggregated) return nullptr;
  const PlanMachine& machine = plan.prefill_machines[point.prefill_machine];
  return machine.name == plan.machines[point.machine].name ? nullptr : &machine;
}

ServingQuestion question_of(const PlanRequest& request, const PlanVariant& which) {
  ServingQuestion q = request.question;
  q.scenario.machine = request.machines[which.machine];
  q.prefill_machine.reset();
  if (!request.prefill_machines.empty() && request.prefill_machines[which.prefill_machine] != q.scenario.machine)
    q.prefill_machine = request.prefill_machines[which.prefill_machine];
  if (!q.prefill_machine) q.prefill_price.reset();
  if (request.weights[which.weights]) q.scenario.weights = request.weights[which.weights];
  if (request.kv[which.kv]) q.scenario.kv = request.kv[which.kv];
  if (!request.speculative_tokens.empty()) q.speculative_tokens = request.speculative_tokens[which.speculative_tokens];
  if (!request.token_budgets.empty()) q.token_budget = request.token_budgets[which.token_budget];
  if (!request.overlaps.empty()) q.overlap = request.overlaps[which.overlap];
  return q;
}

ServingQuestion question_at(const PlanRequest& request, const PlanPoint& point) {
  ServingQuestion q = question_of(request, point);
  q.tensor = point.layout.tensor;
  q.pipeline = point.layout.pipeline;
  q.context = point.layout.context;
  q.attention_data = point.layout.attention_data;
  q.expert = point.layout.expert;
  q.redundant_experts = point.layout.redundant_experts;
  q.concurrency = point.concurrency;
  q.rate.reset();
  q.disaggregated = point.disaggregated;
  q.prefill_layout.reset();
  if (point.disaggregated) q.prefill_layout = point.prefill_layout;
  return q;
}

std::vector<PlanOutlook> outlooks(const PlanRequest& request, const Library& library) {
  std::vector<PlanOutlook> out;
  const auto look = [&](std::string say, const PlanRequest& changed) {
    const auto plan = make_plan(changed, library);
    if (plan) out.push_back({std::move(say), plan->request, plan->search.best});
  };
  const auto hardware = [&](std::string say, const PlanChange& change) {
    PlanRequest changed = request;
    changed.change = change;
    look(std::move(say), changed);
  };
  hardware("20% more HBM bandwidth", {.memory = 1.2});
  hardware("20% more HBM capacity", {.capacity = 1.2});
  hardware("20% more FLOP/s", {.matrix = 1.2});
  hardware("20% more scale-up bandwidth", {.link = 1.2});
  hardware("half the engine overhead", {.engine = 0.5});
  PlanRequest narrow = request;
  narrow.weights = {"nvfp4"};
  look("nvfp4 weights", narrow);
  PlanRequest shorter = request;
  shorter.question.isl = std::max(1.0, request.question.isl / 2);
  look("half the ISL", shorter);
  return out;
}

Result<PlanAnswer> make_plan(const PlanRequest& request, const Library& library) {
  const auto space = plan_space(request, library);
  if (!space) return fail(space.error());
  return plan_answer(*space, search_all(*space));
}

}  // namespace ridge
