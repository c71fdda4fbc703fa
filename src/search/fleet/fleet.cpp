#include "search/fleet/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "search/fleet/judged_fleet.hpp"
#include "serve/slo/fleet_size.hpp"

namespace ridge {

namespace {

/// Of all fleets together, in nanoseconds of one core, about. What the SLO needs at least is looked for whatever it takes.
constexpr std::int64_t kSimulatedWork = 3'000'000'000;
constexpr std::int64_t kMoreForRates = 1'500'000'000;     // chips are dealt out anew
constexpr std::int64_t kMoreForMachines = 3'000'000'000;  // each is ranked

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

/// A part more of both pools, or of one: whole nodes of replicas.
PlanPoint grown(const Sizing& sizing, const PlannedFleet& fleet, bool decode, bool prefill, double by) {
  const FleetSize& size = fleet.point.fleet;
  const auto more = [&](double replicas, double chips, double node) {
    const double of_node = std::max(1.0, std::floor(node / chips));
    return replicas + std::max(of_node, std::ceil(replicas * by));
  };
  return in_number(sizing, fleet.point,
                   decode ? more(size.replicas, sizing.replica.chips, sizing.sold.node.chips) : size.replicas,
                   prefill ? more(size.prefill_replicas, sizing.replica.prefill_chips, sizing.prefill_node())
                           : size.prefill_replicas);
}

/// Where a fleet starts from, and the rate that it is to serve; both pools come in other numbers.
struct FleetStart {
  Sizing sizing;
  PlanPoint point;
  double rate = 0, spare = 0;

  /// Replicas that come and go together: those of a node, unless both pools share it.
  double unit_of(bool prefill) const {
    if (point.disaggregated && !sizing.sold.prefill) return 1;
    const double node = prefill ? sizing.prefill_node() : sizing.sold.node.chips;
    return std::max(1.0, std::floor(node / (prefill ? sizing.replica.prefill_chips : sizing.replica.chips)));
  }
};

/// Grown from what the closed form says until the SLO holds, or it is hopeless: it costs more than anybody would pay. What
/// is too slow grows: prefill for the first token, where it has chips of its own, unless more of it alone did not help, and
/// decode for the rest.
struct Grown {
  PlannedFleet fleet;
  Checks checks = Checks::long_steps;  // what it broke on while it was smaller
};

Grown enough(FleetJudge& judge, const FleetStart& start, double most_bill) {
  constexpr int kTries = 14;
  constexpr double kMost = 8;  // times what the closed form says
  const double first = start.point.fleet.replicas + start.point.fleet.prefill_replicas;
  Grown out{judge.judged(start.point, start.rate)};
  PlannedFleet& found = out.fleet;
  double by = 0.05;
  std::optional<PlannedFleet> before;  // prefill alone grew
  for (int tries = 1; !found.holds && !found.refuses() && !judge.stopped() && tries < kTries; ++tries) {
    const FleetSize& size = found.point.fleet;
    if (!found.by_long_steps) out.checks = Checks::both;
    if (size.replicas + size.prefill_replicas > kMost * first) break;
    const bool split = size.prefill_replicas > 0;
    const bool prefill = split && (found.first_late || !found.rest_late);
    constexpr double kHelped = 0.95;
    const bool helped =
        !before || found.by_long_steps != before->by_long_steps || found.first_seen < kHelped * before->first_seen;
    const bool decode = !split || found.rest_late || !found.first_late || !helped;
    before.reset();
    if (!decode) before = found;
    const PlanPoint next = grown(start.sizing, found, decode, prefill, by);
    if (next.fleet.bill > most_bill) {
      found.next_bill = next.fleet.bill;
      break;
    }
    found = judge.judged(next, start.rate);
    by *= 1.6;
  }
  return out;
}

/// Without what is too many of one pool: ever larger steps down until the SLO breaks, then halving.
PlannedFleet trimmed(FleetJudge& judge, const FleetStart& start, PlannedFleet found, bool prefill, Checks checks) {
  const double unit = start.unit_of(prefill), least = unit * std::floor(start.spare / unit);  // one more is at work
  double low = least, high = prefill ? found.point.fleet.prefill_replicas : found.point.fleet.replicas;
  constexpr double kFirst = 0.06;  // of them
  double step = std::max(1.0, std::round(kFirst * high / unit)) * unit;
  bool broke = false;
  while (high - low > unit && found.point.fleet.all_nodes() > 1 && judge.goes_on()) {  // one node is always paid
    const double half = low + std::max(1.0, std::floor((high - low) / 2 / unit)) * unit;
    const double tried = broke ? half : std::max(low + unit, high - step);
    const FleetSize& size = found.point.fleet;
    auto smaller = judge.kept(
        in_number(start.sizing, found.point, prefill ? size.replicas : tried, prefill ? tried : size.prefill_replicas),
        start.rate, checks);
    broke = broke || !smaller;
    (smaller ? high : low) = tried;
    if (smaller) found = std::move(*smaller);
    step *= 2;
  }
  return found;
}

/// What is paid for and empty is at work as well: first prefill, where requests queue.
PlannedFleet filled(FleetJudge& judge, const FleetStart& start, PlannedFleet found, Checks checks) {
  PlanPoint point = found.point;
  for (const bool prefill : {true, false}) {
    while (!prefill || start.point.disaggregated) {
      const FleetSize& size = point.fleet;
      const PlanPoint more =
          in_number(start.sizing, point, size.replicas + (prefill ? 0 : 1), size.prefill_replicas + (prefill ? 1 : 0));
      if (more.fleet.all_nodes() > size.all_nodes()) break;
      point = more;
    }
  }
  if (point.fleet == found.point.fleet) return found;
  return judge.kept(point, start.rate, checks).value_or(std::move(found));
}

PlannedFleet least_of(FleetJudge& judge, const FleetStart& start, PlannedFleet found, Checks checks) {
  if (start.point.disaggregated) found = trimmed(judge, start, std::move(found), true, checks);
  return filled(judge, start, trimmed(judge, start, std::move(found), false, checks), checks);
}

/// The fewest nodes that keep the SLO: those that do with long steps, and where usual ones say no, those that keep both.
PlannedFleet least_nodes(FleetJudge& judge, const FleetStart& start, double most_bill) {
  const Grown found = enough(judge, start, most_bill);
  if (!found.fleet.holds) return judge.whole(found.fleet);
  const PlannedFleet least = judge.whole(least_of(judge, start, found.fleet, found.checks));
  if (judge.stopped()) return found.fleet;
  if (least.holds || found.checks == Checks::both) return least;
  return judge.whole(least_of(judge, start, found.fleet, Checks::both));
}

/// The highest rate that a fleet of this size keeps the SLO at, where `best` is what is known of it so far.
void raise_rate(FleetJudge& judge, PlannedFleet& best, Checks checks) {
  constexpr int kTries = 12;
  constexpr double kClose = 1.01;
  const double start = best.rate;
  double low = best.holds ? start : 0, high = best.holds ? 0 : start;
  for (int tries = 1; tries < kTries && (judge.goes_on() || (!best.holds && !judge.stopped())); ++tries) {
    if (low > 0 && high > 0 && high / low <= kClose) break;
    const double next = low == 0 ? high * 0.75 : high == 0 ? low * 1.15 : std::sqrt(low * high);
    std::optional<PlannedFleet> tried;
    if (best.holds)
      tried = judge.kept(best.point, next, checks);
    else
      tried = judge.judged(best.point, next);
    (tried && tried->holds ? low : high) = next;
    if (tried) best = std::move(*tried);
  }
}

/// Of the same nodes one replica more (or fewer) that decodes, and as many for prefill as find room beside it.
std::optional<PlanPoint> split_anew(const Sizing& sizing, const PlanPoint& point, double more, double spare) {
  const double replicas = point.fleet.replicas + more;
  std::optional<PlanPoint> out;
  for (double prefill = spare + 1; replicas > spare; ++prefill) {
    const PlanPoint next = in_number(sizing, point, replicas, prefill);
    if (next.fleet.nodes > point.fleet.nodes) break;
    out = next;
  }
  if (!out) return {};
  out->fleet.nodes = point.fleet.nodes;  // all that there is, at work or not
  out->fleet.bill = point.fleet.bill;
  return out;
}

/// The highest rate of what there is. Chips are dealt out anew between the pools as long as that serves more.
PlannedFleet highest_rate(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point, Checks checks) {
  const FleetAim& aim = *plan.request.fleet;
  PlannedFleet best = judge.judged(point, point.fleet.rate * (1 + aim.headroom));
  raise_rate(judge, best, checks);
  const Sizing sizing = sizing_of(plan, point);
  if (best.holds && point.disaggregated && !sizing.sold.prefill) {
    constexpr double kNotable = 1.015;
    for (const double more : {1.0, -1.0}) {
      bool went = false;
      while (judge.goes_on()) {
        const auto next = split_anew(sizing, best.point, more, aim.spare);
        if (!next) break;
        PlannedFleet tried = judge.judged(*next, best.rate * kNotable);
        if (!tried.holds) break;
        raise_rate(judge, tried, checks);
        best = std::move(tried);
        went = true;
      }
      if (went) break;
    }
  }
  best.point.fleet.rate = best.rate / (1 + aim.headroom);
  return best;
}

/// The same with long steps alone, and where usual ones say no, with both.
PlannedFleet highest_rate(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point) {
  PlannedFleet best = judge.whole(highest_rate(judge, plan, point, Checks::long_steps));
  if (best.holds || judge.stopped()) return best;  // a rate that holds is looked for whatever it takes
  return judge.whole(highest_rate(judge, plan, point, Checks::both));
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

/// Deployments that differ in copies of experts or in overlap alone.
bool are_twins(const PlanPoint& a, const PlanPoint& b) {
  const auto key = [](PlanPoint point) {
    point.layout.redundant_experts = point.prefill_layout.redundant_experts = 0;
    point.layout.balanced = point.prefill_layout.balanced = false;
    point.overlap = 0;
    return point;
  };
  const PlanPoint one = key(a), other = key(b);
  return static_cast<const PlanVariant&>(one) == static_cast<const PlanVariant&>(other) && one.layout == other.layout &&
         one.disaggregated == other.disaggregated && (!one.disaggregated || one.prefill_layout == other.prefill_layout);
}

constexpr double kAnyBill = std::numeric_limits<double>::infinity();

/// So many times the bill of the best, or less than this part of its rate, is of no use to anybody.
constexpr double kFarBehind = 2;

bool is_among(const std::vector<PlanPoint>& all, const PlanPoint& point) {
  return std::any_of(all.begin(), all.end(), [&](const PlanPoint& one) { return are_twins(one, point); });
}

/// The best, those of other kinds (each has errors of its own) unless they are far behind, and each machine's own where
/// several are compared.
std::vector<PlanPoint> candidates(const FleetQuestion& question, const PlanAnswer& plan) {
  std::vector<PlanPoint> out;
  const auto add = [&](const PlanPoint& point) {
    if (!is_among(out, point)) out.push_back(point);
  };
  for (const PlanPoint& point : plan.search.few) {
    if (out.size() < question.deployments) add(point);
  }
  if (out.empty()) return out;
  const PlanPoint first = out.front();
  const auto is_far = [&](const PlanPoint& point) {
    return plan.request.fleet->rate ? point.fleet.bill > kFarBehind * first.fleet.bill
                                    : kFarBehind * point.fleet.rate < first.fleet.rate;
  };
  const bool several = plan.machines.size() > 1;
  for (const auto& [kind, point] : plan.search.best_of_kind) {
    const bool of_machine = several && kind_of(plan.search.best_of_machine.at(kind.machine)) == kind;
    if (of_machine || !is_far(point)) add(point);
  }
  return out;
}

/// Cheaper ones that the closed form keeps out for their first token alone. It has one prefill replica 80 % utilized make
/// a request wait for two others; a pool of them shares its queue and hardly does, as the simulator sees.
Result<std::vector<PlanPoint>> with_pooled_prefill(const FleetQuestion& question, std::vector<PlanPoint> out,
                                                   const Library& library) {
  constexpr double kServices = 3;  // of a prompt: its own, and those it waits for
  constexpr std::size_t kMore = 2;
  PlanRequest eased = fleet_request(question);
  if (!question.simulates || !eased.ttft || !eased.disaggregated) return out;
  eased.ttft = *eased.ttft * Ratio<double>(kServices);
  const auto plan = make_plan(eased, library);
  if (!plan) return fail(plan.error());
  const auto is_better = [&](const PlanPoint& point) {
    if (out.empty()) return true;
    const FleetSize& first = out.front().fleet;
    return eased.fleet->rate ? point.fleet.bill < first.bill : point.fleet.rate > first.rate;
  };
  std::vector<PlanPoint> more;
  for (const PlanPoint& point : plan->search.few) {
    if (point.disaggregated && more.size() < kMore && is_better(point) && !is_among(out, point) &&
        !is_among(more, point))
      more.push_back(point);
  }
  out.insert(out.begin(), more.begin(), more.end());
  return out;
}

bool is_of_a_machine_in(const std::vector<PlannedFleet>& fleets, const PlanPoint& point) {
  return std::any_of(fleets.begin(), fleets.end(),
                     [&](const PlannedFleet& one) { return one.holds && one.point.machine == point.machine; });
}

/// Of what may still be simulated, the share of this candidate: the best few decide, and get twice as much as others.
double share_of_rest(std::size_t at, std::size_t all, std::size_t few) {
  const auto weight = [&](std::size_t i) { return i < few ? 2.0 : 1.0; };
  double rest = 0;
  for (std::size_t i = at; i < all; ++i) rest += weight(i);
  return weight(at) / rest;
}

}  // namespace

SpreadFigure figure_of(SloMetric metric) { return metric == SloMetric::ttft ? SpreadFigure::ttft : SpreadFigure::tpot; }

double cost_of(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const double rate = answer.day ? answer.day->mean_rate : fleet.rate / (1 + answer.plan.request.fleet->headroom);
  return fleet.bill() / (rate * answer.plan.request.question.osl);
}

std::optional<FleetLead> lead_of(const FleetAnswer& answer) {
  if (answer.fleets.size() < 2 || !answer.fleets[1].holds || !answer.fleets[0].closed.errors.known) return {};
  const PlannedFleet &best = answer.fleets[0], &second = answer.fleets[1];
  const double apart =
      answer.plan.request.fleet->rate ? second.bill() / best.bill() : best.point.fleet.rate / second.point.fleet.rate;
  constexpr auto kThroughput = static_cast<std::size_t>(SpreadFigure::throughput);
  return FleetLead{apart - 1, best.closed.errors.factor[kThroughput][kShownLevel] - 1};
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
  const auto all = with_pooled_prefill(question, candidates(question, answer.plan), library);
  if (!all) return fail(all.error());
  const std::vector<PlanPoint>& closer = *all;
  double least_bill = kAnyBill;
  for (std::size_t i = 0; i < closer.size(); ++i) {
    const PlanPoint& point = closer[i];
    if (judge.stopped()) break;
    if (!aim.rate && point.fleet.replicas < 1) continue;  // not one fits
    const std::int64_t work =
        kSimulatedWork + (aim.rate ? 0 : kMoreForRates) + (answer.plan.machines.size() > 1 ? kMoreForMachines : 0);
    const bool is_spent = judge.work() >= work;
    // what costs as much by the closed form is left out unseen: most cost more when they are simulated
    if (is_spent && aim.rate && point.fleet.bill >= least_bill && is_of_a_machine_in(answer.fleets, point)) continue;
    judge.begin(static_cast<std::int64_t>(static_cast<double>(work - judge.work()) *
                                          share_of_rest(i, closer.size(), question.deployments)));
    if (!aim.rate) {
      answer.fleets.push_back(highest_rate(judge, answer.plan, point));
      continue;
    }
    const FleetStart start{sizing_of(answer.plan, point), point, *aim.rate * (1 + aim.headroom), aim.spare};
    answer.fleets.push_back(least_nodes(judge, start, (is_spent ? 1 : kFarBehind) * least_bill));
    if (const PlannedFleet& found = answer.fleets.back(); found.holds) least_bill = std::min(least_bill, found.bill());
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
