#include "search/plan/plan_search.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

Result<Objective> parse_objective(std::string_view word) {
  for (const Objective one : {Objective::cost, Objective::latency, Objective::chips, Objective::energy}) {
    if (word == name_of(one)) return one;
  }
  return fail({"objective", fmt::format("\"{}\" is nothing to aim at", shortened(std::string(word))),
               "cost, latency, chips or energy"});
}

std::string_view name_of(Objective objective) {
  switch (objective) {
    case Objective::cost:
      return "cost";
    case Objective::latency:
      return "latency";
    case Objective::chips:
      return "chips";
    case Objective::energy:
      return "energy";
    case Objective::bill:
      return "bill";
    case Objective::rate:
      return "rate";
  }
  return "";
}

double objective_of(Objective objective, const PlanPoint& point) {
  switch (objective) {
    case Objective::latency:
      return point.tpot > 0 ? point.tpot : point.ttft;  // one output token: its own time
    case Objective::chips:
      return point.chips;
    case Objective::energy:
      return point.energy;
    case Objective::bill:
      return point.fleet.bill;
    case Objective::rate:
      return -point.fleet.rate;
    case Objective::cost:
      break;
  }
  return point.cost;
}

std::uint64_t deployment_of(const PlanPoint& point) { return point.index / (kCasesOfALayout / 2); }

DeploymentKind kind_of(const PlanPoint& point) {
  return {point.machine, point.disaggregated, point.layout.pipeline > 1, point.layout.attention_data > 1};
}

bool better(Objective objective, const PlanPoint& a, const PlanPoint& b) {
  const auto key = [&](const PlanPoint& point) {
    return std::tuple(objective_of(objective, point), point.extrapolated, !point.layout_seen, point.cost, point.index);
  };
  return key(a) < key(b);
}

void PlanSearch::draw(const PlanPoint& point) {
  const Candidate for_chips{-point.user_rate, -point.chip_rate, point.index};
  const Candidate for_cost{-point.user_rate, -1 / point.cost, point.index};
  PlanFrontier& own = of_machine[point.machine];
  // most are beaten: look before copying all of a point; one beaten on its own machine is beaten among all
  if (own.would_keep(for_chips)) {
    own.add({for_chips, point});
    if (frontier.would_keep(for_chips)) frontier.add({for_chips, point});
  }
  if (cost_frontier.would_keep(for_cost)) cost_frontier.add({for_cost, point});
}

void PlanSearch::keep_best(Objective objective, const PlanPoint& point) {
  const auto own = best_of_machine.find(point.machine);
  if (own == best_of_machine.end() || better(objective, point, own->second)) best_of_machine[point.machine] = point;
  const auto [kin, is_new] = best_of_kind.try_emplace(kind_of(point), point);
  if (!is_new && better(objective, point, kin->second)) kin->second = point;
}

void PlanSearch::keep_few(Objective objective, const PlanPoint& point) {
  if (few.size() == kFew && !better(objective, point, few.back())) return;
  const auto same = std::find_if(few.begin(), few.end(),
                                 [&](const PlanPoint& one) { return deployment_of(one) == deployment_of(point); });
  if (same != few.end()) {
    if (!better(objective, point, *same)) return;
    few.erase(same);
  }
  const auto at =
      std::find_if(few.begin(), few.end(), [&](const PlanPoint& one) { return better(objective, point, one); });
  few.insert(at, point);
  if (few.size() > kFew) few.pop_back();
}

void PlanSearch::offer(Objective objective, const PlanPoint& point) {
  keep_best(objective, point);
  keep_few(objective, point);
  if (!best || better(objective, point, *best)) {
    runner_up = best;
    best = point;
  } else if (!runner_up || better(objective, point, *runner_up)) {
    runner_up = point;
  }
}

void PlanSearch::come_to_edge(Objective objective, const PlanPoint& within, const PlanPoint& beyond) {
  const auto best_so_far = best_of_machine.find(beyond.machine);
  if (best_so_far != best_of_machine.end() && !better(objective, beyond, best_so_far->second)) return;
  edges.push_back({within, beyond});
}

void PlanSearch::come_near(Relaxed what, double factor, const PlanPoint& point) {
  auto& best_so_far = nearest[static_cast<std::size_t>(what)];
  const bool nearer = !best_so_far || factor < best_so_far->factor ||
                      (factor == best_so_far->factor && point.index < best_so_far->point.index);
  if (nearer) best_so_far = NearPoint{factor, point};
}

void PlanSearch::merge(Objective objective, const PlanSearch& other) {
  frontier.merge(other.frontier);
  cost_frontier.merge(other.cost_frontier);
  for (const auto& [machine, its] : other.of_machine) of_machine[machine].merge(its);
  for (const auto& [machine, point] : other.best_of_machine) keep_best(objective, point);
  for (const auto& [kind, point] : other.best_of_kind) keep_best(objective, point);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    if (other.nearest[i]) come_near(static_cast<Relaxed>(i), other.nearest[i]->factor, other.nearest[i]->point);
  }
  edges.insert(edges.end(), other.edges.begin(), other.edges.end());
  if (other.best) offer(objective, *other.best);
  if (other.runner_up) offer(objective, *other.runner_up);
  for (const PlanPoint& point : other.few) keep_few(objective, point);
  evaluated += other.evaluated;
  layouts += other.layouts;
  fitting += other.fitting;
}

}  // namespace ridge
