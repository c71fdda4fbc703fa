#include "search/fleet/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "search/fleet/judged_fleet.hpp"
#include "serve/fleet_size.hpp"

namespace ridge {

namespace {

/// What is bought, and what a replica of a point takes.
struct Sizing {
  SoldNodes sold;
  ReplicaTerms replica;

  /// Chips of a node that prefill is on.
  double prefill_node() const { return sold.prefill ? sold.prefill->chips : sold.node.chips; }
};

Sizing sizing_of(const PlanAnswer& plan, const PlanPoint& point) {
  const auto node_terms = [](const PlanMachine& machine) { return NodeTerms{machine.node, machine.idle_price}; };
  Sizing out{{node_terms(plan.machines[point.machine])},
             {point.layout.chips(), 1, point.disaggregated ? point.prefill_layout.chips() : 1, 0}};
  if (const PlanMachine* prefill = prefill_machine_of(plan, point)) out.sold.prefill = node_terms(*prefill);
  return out;
}

/// The same deployment, in another number.
PlanPoint in_number(const Sizing& sizing, PlanPoint point, double replicas, double prefill_replicas) {
  point.fleet.replicas = replicas;
  point.fleet.prefill_replicas = prefill_replicas;
  take_nodes(point.fleet, sizing.sold, sizing.replica);
  return point;
}

/// More of what is too slow: prefill for the first token, where it has chips of its own, and decode for the rest; of both
/// where a queue says only that there is too little.
PlanPoint grown(const FleetJudge& judge, const Sizing& sizing, const PlannedFleet& fleet, double by) {
  const FleetSize& size = fleet.point.fleet;
  const auto more = [&](double replicas, double chips, double node) {
    const double of_node = std::max(1.0, std::floor(node / chips));
    return replicas + std::max(of_node, std::ceil(replicas * by));
  };
  const double confidence = judge.question().plan.confidence;
  const auto fails = [&](bool first) {
    return std::any_of(fleet.promised.begin(), fleet.promised.end(), [&](const PromisedFigure& one) {
      return (one.target.metric == SloMetric::ttft) == first && one.odds < confidence;
    });
  };
  const bool split = size.prefill_replicas > 0;
  const bool decode = !split || fails(false) || !fails(true), prefill = split && (fails(true) || !fails(false));
  return in_number(sizing, fleet.point,
                   decode ? more(size.replicas, sizing.replica.chips, sizing.sold.node.chips) : size.replicas,
                   prefill ? more(size.prefill_replicas, sizing.replica.prefill_chips, sizing.prefill_node())
                           : size.prefill_replicas);
}

/// The fewest replicas that keep the SLO: grown from what the closed form says until they do, then without what is too
/// many. A fleet that shares its chips has one number to look for, which is found by halving.
PlannedFleet least_nodes(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& start, double rate) {
  const Sizing sizing = sizing_of(plan, start);
  constexpr int kTries = 14;
  constexpr double kMost = 8;  // times what the closed form says
  const double each = std::max(1.0, std::floor(sizing.sold.node.chips / sizing.replica.chips));
  PlannedFleet found = judge.judged(start, rate);
  const double first = start.fleet.replicas + start.fleet.prefill_replicas;
  double fails_at = 0, by = 0.05;
  int tries = 0;
  while (!found.holds && !judge.stopped() && ++tries < kTries) {
    const FleetSize& size = found.point.fleet;
    if (size.replicas + size.prefill_replicas > kMost * first) break;
    fails_at = size.replicas;
    found = judge.judged(grown(judge, sizing, found, by), rate);
    by *= 1.6;
  }
  if (!found.holds || start.disaggregated) return found;
  // in whole nodes of replicas
  double low = fails_at, high = found.point.fleet.replicas;
  if (low == 0) low = std::max(0.0, high - 2 * each);
  while (high - low > each && !judge.stopped() && ++tries < kTries) {
    const double middle = low + std::max(each, std::floor((high - low) / 2 / each) * each);
    if (middle >= high) break;
    PlannedFleet smaller = judge.judged(in_number(sizing, start, middle, 0), rate);
    (smaller.holds ? high : low) = middle;
    if (smaller.holds) found = std::move(smaller);
  }
  return found;
}

/// The highest rate that a fleet of this size keeps the SLO at.
PlannedFleet highest_rate(FleetJudge& judge, const PlanPoint& point, double headroom) {
  constexpr int kTries = 12;
  constexpr double kClose = 1.01;
  const double start = point.fleet.rate * (1 + headroom);
  PlannedFleet best = judge.judged(point, start), last = best;
  double low = best.holds ? start : 0, high = best.holds ? 0 : start;
  for (int tries = 1; tries < kTries && !judge.stopped(); ++tries) {
    if (low > 0 && high > 0 && high / low <= kClose) break;
    const double next = low == 0 ? high * 0.75 : high == 0 ? low * 1.15 : std::sqrt(low * high);
    last = judge.judged(point, next);
    (last.holds ? low : high) = next;
    if (last.holds) best = last;
  }
  best.point.fleet.rate = best.rate / (1 + headroom);
  return best;
}

/// What each hour of a day takes of the first fleet's deployment, at the load that it is found to keep the SLO at.
FleetDay day_of(const FleetAnswer& answer) {
  const PlannedFleet& fleet = answer.fleets.front();
  const FleetAim& aim = *answer.plan.request.fleet;
  Sizing sizing = sizing_of(answer.plan, fleet.point);
  sizing.replica.rate = fleet.rate / fleet.at_work;
  sizing.replica.prefill_replicas = fleet.prefill_at_work / fleet.at_work;
  FleetDay day;
  for (const double rate : answer.question.by_hour) {
    FleetAim hour = aim;
    hour.rate = rate;
    const FleetSize size = fleet_of(hour, sizing.sold, sizing.replica);
    const auto hours = static_cast<double>(answer.question.by_hour.size());
    day.mean_rate += rate / hours;
    day.nodes.push_back(size.all_nodes());
    day.elastic_bill += size.bill / hours;
  }
  return day;
}

/// Deployments worth a closer look: the best, and each machine's own where several are compared.
std::vector<PlanPoint> candidates(const FleetQuestion& question, const PlanAnswer& plan) {
  std::vector<PlanPoint> out;
  const auto add = [&](const PlanPoint& point) {
    const bool known = std::any_of(
        out.begin(), out.end(), [&](const PlanPoint& other) { return deployment_of(other) == deployment_of(point); });
    if (!known) out.push_back(point);
  };
  for (const PlanPoint& point : plan.search.few) {
    if (out.size() < question.deployments) add(point);
  }
  for (const PlanPoint& point : plan.search.few) {  // prefill beside decode and apart: each has errors of its own
    const bool other = std::none_of(out.begin(), out.end(),
                                    [&](const PlanPoint& one) { return one.disaggregated == point.disaggregated; });
    if (other) add(point);
  }
  if (plan.machines.size() > 1) {
    for (const auto& [machine, point] : plan.search.best_of_machine) add(point);
  }
  return out;
}

}  // namespace

SpreadFigure figure_of(SloMetric metric) { return metric == SloMetric::ttft ? SpreadFigure::ttft : SpreadFigure::tpot; }

double cost_of(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const double rate = answer.day ? answer.day->mean_rate : fleet.rate / (1 + answer.plan.request.fleet->headroom);
  return fleet.bill() / (rate * answer.plan.request.question.osl);
}

PlanRequest fleet_request(const FleetQuestion& question) {
  PlanRequest request = question.plan;
  request.ttft = shortest_limit(question.slo, SloMetric::ttft);
  request.tpot = shortest_limit(question.slo, SloMetric::tpot);
  request.e2e = shortest_limit(question.slo, SloMetric::e2e);
  request.objective = request.fleet->rate ? Objective::bill : Objective::rate;
  return request;
}

Result<FleetAnswer> plan_fleet(const FleetQuestion& question, const Library& library, const FleetProgress& go_on) {
  auto plan = make_plan(fleet_request(question), library);
  if (!plan) return fail(plan.error());
  FleetAnswer answer{question, std::move(*plan), {}, {}, 0, false};
  const PlanRequest& request = answer.plan.request;
  const FleetAim& aim = *request.fleet;
  FleetJudge judge(answer.question, request, library, go_on);
  for (const PlanPoint& point : candidates(question, answer.plan)) {
    if (judge.stopped()) break;
    if (!aim.rate && point.fleet.replicas < 1) continue;  // not one fits
    answer.fleets.push_back(aim.rate ? least_nodes(judge, answer.plan, point, *aim.rate * (1 + aim.headroom))
                                     : highest_rate(judge, point, aim.headroom));
  }
  std::stable_sort(answer.fleets.begin(), answer.fleets.end(), [&](const PlannedFleet& a, const PlannedFleet& b) {
    const auto key = [&](const PlannedFleet& fleet) {
      const double aimed = aim.rate ? fleet.bill() : -fleet.point.fleet.rate;
      const std::size_t unmeasured = unmeasured_in(fleet.closed.errors.situation).size();
      return std::tuple(!fleet.holds, fleet.holds ? aimed : 1 - fleet.odds, unmeasured, -fleet.odds);
    };
    return key(a) < key(b);
  });
  if (!question.by_hour.empty() && !answer.fleets.empty()) answer.day = day_of(answer);
  answer.simulations = judge.simulations();
  answer.stopped = judge.stopped();
  return answer;
}

}  // namespace ridge
