#include "search/fleet/sized_fleet.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

Sizing sizing_of(const PlanAnswer& plan, const PlanPoint& point) {
  const auto node_terms = [](const PlanMachine& machine) { return NodeTerms{machine.node, machine.idle_price}; };
  Sizing out{{node_terms(plan.machines[point.machine])},
             {point.layout.chips(), 1, point.disaggregated ? point.prefill_layout.chips() : 1, 0}};
  if (const PlanMachine* prefill = prefill_machine_of(plan, point)) out.sold.prefill = node_terms(*prefill);
  return out;
}

double FleetStart::unit_of(bool prefill) const {
  if (point.disaggregated && !sizing.sold.prefill) return 1;
  const double node = prefill ? sizing.prefill_node() : sizing.sold.node.chips;
  return std::max(1.0, std::floor(node / (prefill ? sizing.replica.prefill_chips : sizing.replica.chips)));
}

namespace {

/// The same deployment, in another number.
PlanPoint in_number(const Sizing& sizing, PlanPoint point, double replicas, double prefill_replicas) {
  point.fleet.replicas = replicas;
  point.fleet.prefill_replicas = prefill_replicas;
  take_nodes(point.fleet, sizing.sold, sizing.replica);
  return point;
}

/// A part more of both pools, or of one: whole nodes of replicas. Each by its share, or not at all.
PlanPoint grown(const Sizing& sizing, const PlannedFleet& fleet, double decode_by, double prefill_by) {
  const FleetSize& size = fleet.point.fleet;
  const auto more = [&](double replicas, double by, double chips, double node) {
    const double of_node = std::max(1.0, std::floor(node / chips));
    return by > 0 ? replicas + std::max(of_node, std::ceil(replicas * by)) : replicas;
  };
  return in_number(sizing, fleet.point, more(size.replicas, decode_by, sizing.replica.chips, sizing.sold.node.chips),
                   more(size.prefill_replicas, prefill_by, sizing.replica.prefill_chips, sizing.prefill_node()));
}

constexpr double kMostGrown = 8;  // times what the closed form says

/// As many of a pool as keep the SLO by themselves, and hardly more; of the other pool as many as there are.
PlanPoint sized_alone(FleetJudge& judge, const FleetStart& start, PlanPoint point, FleetPool pool) {
  const bool prefill = pool == FleetPool::prefill;
  constexpr double kNear = 0.04, kFirst = 0.15;  // shares of it
  const double unit = start.unit_of(prefill), least = unit * std::floor(start.spare / unit);
  const auto with = [&](double count) {
    return in_number(start.sizing, point, prefill ? point.fleet.replicas : count,
                     prefill ? count : point.fleet.prefill_replicas);
  };
  const auto keeps = [&](double count) { return judge.keeps_alone(with(count), start.rate, pool); };
  const double there = prefill ? point.fleet.prefill_replicas : point.fleet.replicas;
  const auto first = keeps(there);
  if (!first) return point;
  double low = *first ? least : there, high = *first ? there : 0;
  for (double by = kFirst; !*first && high == 0; by *= 2) {
    const double more = low + unit * std::max(1.0, std::ceil(low * by / unit));
    if (more > kMostGrown * there) return point;
    const auto kept = keeps(more);
    if (!kept) return point;
    (*kept ? high : low) = more;
  }
  for (double by = kFirst; *first && low == least && high - unit > least; by *= 2) {
    const double fewer = std::max(least + unit, high - unit * std::max(1.0, std::ceil(high * by / unit)));
    const auto kept = keeps(fewer);
    if (!kept) return with(high);
    (*kept ? high : low) = fewer;
  }
  while (high - low > std::max(unit, kNear * high)) {
    const double middle = low + unit * std::max(1.0, std::floor((high - low) / 2 / unit));
    const auto kept = keeps(middle);
    if (!kept) break;
    (*kept ? high : low) = middle;
  }
  return with(high);
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

/// The most replicas that cost less than a bill; as many for prefill as `prefill` says for those that decode.
template <class Prefill>
std::optional<PlanPoint> below_bill(const FleetStart& start, double most, double bill, const Prefill& prefill) {
  const auto at = [&](double decode) { return in_number(start.sizing, start.point, decode, prefill(decode)); };
  double low = start.spare, high = most + 1;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (at(middle).fleet.bill < bill ? low : high) = middle;
  }
  if (low <= start.spare) return {};
  return at(low);
}

/// One replica more for prefill, and as many fewer that decode as make it cheaper: where the first token comes sooner, the
/// rest may take longer for both to be as likely.
PlannedFleet dealt_anew(FleetJudge& judge, const FleetStart& start, PlannedFleet found, Checks checks) {
  while (judge.goes_on()) {
    const FleetSize& size = found.point.fleet;
    const double prefill = size.prefill_replicas + start.unit_of(true);
    const auto less = below_bill(start, size.replicas, size.bill, [&](double) { return prefill; });
    auto cheaper = less ? judge.kept(*less, start.rate, checks) : std::nullopt;
    if (!cheaper) break;
    found = trimmed(judge, start, std::move(*cheaper), false, checks);
  }
  return found;
}

PlannedFleet least_of(FleetJudge& judge, const FleetStart& start, PlannedFleet found, Checks checks) {
  if (start.point.disaggregated) found = trimmed(judge, start, std::move(found), true, checks);
  found = trimmed(judge, start, std::move(found), false, checks);
  if (start.point.disaggregated) found = dealt_anew(judge, start, std::move(found), checks);
  return filled(judge, start, std::move(found), checks);
}

constexpr double kClose = 1.01, kRoughly = 1.08;  // between a rate that holds and one that does not

/// The highest rate that a fleet of this size keeps the SLO at, where `best` is what is known of it so far. Of one that
/// does not come up to the best rate it need not be known closely, and one that holds need not be found whatever it takes.
void raise_rate(FleetJudge& judge, PlannedFleet& best, Checks checks, double best_rate = 0, double close = kClose) {
  constexpr int kTries = 12;
  constexpr double kAbout = 1.05;
  const double start = best.rate;
  double low = best.holds ? start : 0, high = best.holds ? 0 : start;
  for (int tries = 1; tries < kTries && (judge.goes_on() || (!best.holds && !judge.stopped() && best_rate == 0));
       ++tries) {
    if (low > 0 && high > 0 && high / low <= (high <= best_rate ? std::max(close, kAbout) : close)) break;
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
PlannedFleet highest_rate_by(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point, Checks checks,
                             double best_rate, double close) {
  const FleetAim& aim = *plan.request.fleet;
  constexpr double kAbove = 1.01;
  const double most = point.fleet.rate * (1 + aim.headroom);  // as the closed form has it
  PlannedFleet best = judge.judged(point, best_rate > 0 ? std::min(most, kAbove * best_rate) : most);
  raise_rate(judge, best, checks, best_rate, close);
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
        raise_rate(judge, tried, checks, best_rate, close);
        best = std::move(tried);
        went = true;
      }
      if (went) break;
    }
  }
  best.point.fleet.rate = best.rate / (1 + aim.headroom);
  return best;
}

/// The rate that a deployment is sized for, spare replicas apart.
FleetStart start_of(const PlanAnswer& plan, const PlanPoint& point) {
  const FleetAim& aim = *plan.request.fleet;
  return {sizing_of(plan, point), point, *aim.rate * (1 + aim.headroom), aim.spare};
}

double prefill_share_of(const FleetSize& size) { return size.replicas > 0 ? size.prefill_replicas / size.replicas : 0; }

/// With long steps alone, and where usual ones say no, with both.
PlannedFleet found_rate(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point, double best_rate,
                        double close) {
  const bool others_hold = best_rate > 0;
  const auto told = [&](const PlannedFleet& fleet) {
    return others_hold && !fleet.holds ? judge.unseen(fleet) : judge.whole(fleet);
  };
  PlannedFleet best = told(highest_rate_by(judge, plan, point, Checks::long_steps, best_rate, close));
  if (best.holds || judge.stopped() || (others_hold && !judge.goes_on())) return best;
  return told(highest_rate_by(judge, plan, point, Checks::both, best_rate, close));
}

}  // namespace

PlanPoint with_pools_sized(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point) {
  if (!point.disaggregated) return point;
  const FleetStart start = start_of(plan, point);
  const PlanPoint prefill = sized_alone(judge, start, point, FleetPool::prefill);
  return sized_alone(judge, start, prefill, FleetPool::decode);
}

FleetGrowth growth_of(const PlanAnswer& plan, const PlanPoint& point) {
  FleetGrowth out;
  out.start = start_of(plan, point);
  out.next = point;
  return out;
}

// What is too slow grows: prefill for the first token, where it has chips of its own, unless more of it alone did not help,
// and decode for the rest.
void judge_next(FleetJudge& judge, FleetGrowth& growth) {
  constexpr int kTries = 20;
  constexpr double kFaster = 1.6, kHelped = 0.95;
  growth.found = judge.judged(growth.next, growth.start.rate);
  const PlannedFleet& found = *growth.found;
  if (found.holds) return;
  if (!found.by_long_steps && found.simulated) growth.checks = Checks::both;
  const FleetSize &size = found.point.fleet, &first = growth.start.point.fleet;
  growth.is_over = found.refuses() || judge.stopped() || ++growth.tries == kTries ||
                   size.replicas + size.prefill_replicas > kMostGrown * (first.replicas + first.prefill_replicas);
  const bool split = size.prefill_replicas > 0;
  const bool prefill = split && (found.first_late || !found.rest_late);
  const auto& before = growth.before;
  const bool helped = !before || found.by_long_steps != before->by_long_steps || std::isinf(found.first_seen) ||
                      found.first_seen < kHelped * before->first_seen;
  const bool decode = !split || found.rest_late || !found.first_late || !helped;
  growth.before.reset();
  if (!decode) growth.before = found;
  growth.next = grown(growth.start.sizing, found, decode ? growth.by : 0, prefill ? growth.prefill_by : 0);
  if (decode) growth.by *= kFaster;
  if (prefill) growth.prefill_by *= kFaster;
}

PlannedFleet least_nodes(FleetJudge& judge, const FleetGrowth& growth) {
  const PlannedFleet& found = *growth.found;
  const PlannedFleet least = judge.whole(least_of(judge, growth.start, found, growth.checks));
  if (judge.stopped()) return found;
  if (least.holds || growth.checks == Checks::both) return least;
  return judge.whole(least_of(judge, growth.start, found, Checks::both));
}

std::optional<PlannedFleet> least_nodes_below(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point,
                                              const PlannedFleet& best) {
  const FleetStart start = start_of(plan, point);
  const double share = prefill_share_of(point.fleet);
  for (const double less :
       {1.0, 0.85}) {  // the closed form has a pool's replicas queue alone: it takes too many of them
    const auto at = below_bill(start, std::max(1.0, 2 * point.fleet.replicas), best.bill(), [&](double decode) {
      return point.disaggregated ? std::max(start.spare + 1, std::round(decode * share * less)) : 0;
    });
    if (!at) return {};
    PlannedFleet found = judge.judged(*at, start.rate);
    if (found.holds) {
      for (const Checks checks : {Checks::long_steps, Checks::both}) {
        PlannedFleet least = judge.whole(least_of(judge, start, found, checks));
        if (least.holds) return least;
        if (judge.stopped()) break;
      }
      return {};
    }
    if (!point.disaggregated || found.first_late || judge.stopped()) return {};
  }
  return {};
}

PlannedFleet rough_rate(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point, double best_rate) {
  return found_rate(judge, plan, point, best_rate, kRoughly);
}

PlannedFleet closer_rate(FleetJudge& judge, const PlanAnswer& plan, const PlannedFleet& fleet) {
  PlannedFleet best = fleet;
  raise_rate(judge, best, Checks::long_steps);
  best = judge.whole(std::move(best));
  if (!best.holds || best.rate <= fleet.rate) return fleet;
  best.point.fleet.rate = best.rate / (1 + plan.request.fleet->headroom);
  return best;
}

std::optional<PlannedFleet> highest_rate_above(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point,
                                               const PlannedFleet& best) {
  constexpr double kNotable = 1.01;
  if (!judge.judged(point, kNotable * best.rate).holds) return {};
  PlannedFleet found = found_rate(judge, plan, point, best.rate, kClose);
  if (!found.holds || found.rate <= best.rate) return {};
  return found;
}

double rate_kept(FleetJudge& judge, const PlannedFleet& fleet) {
  PlannedFleet there = judge.judged(fleet.point, fleet.rate);
  raise_rate(judge, there, Checks::both);
  return there.holds ? there.rate : 0;
}

}  // namespace ridge
