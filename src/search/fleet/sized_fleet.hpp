#pragma once
// One deployment in the number that a question asks for: the fewest nodes that keep the SLO at a rate, or the highest rate
// that nodes keep it at.

#include "search/fleet/judged_fleet.hpp"

namespace ridge {

/// What is bought, and what a replica of a point takes.
struct Sizing {
  SoldNodes sold;
  ReplicaTerms replica;

  /// Chips of a node that prefill is on.
  double prefill_node() const { return sold.prefill ? sold.prefill->chips : sold.node.chips; }
};
Sizing sizing_of(const PlanAnswer& plan, const PlanPoint& point);

/// A disaggregated deployment with as many of each pool as keep the SLO by themselves: hardly more than the closed form's, or
/// what it takes at least.
PlanPoint with_pools_sized(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point);

/// Where a fleet starts from, and the rate that it is to serve; both pools come in other numbers.
struct FleetStart {
  Sizing sizing;
  PlanPoint point;
  double rate = 0, spare = 0;

  /// Replicas that come and go together: those of a node, unless both pools share it.
  double unit_of(bool prefill) const;
};

/// A deployment that grows until the SLO holds.
struct FleetGrowth {
  FleetStart start;
  PlanPoint next;                      // that is judged next
  std::optional<PlannedFleet> found;   // that was judged last
  std::optional<PlannedFleet> before;  // where prefill alone grew since
  double by = 0.05, prefill_by = 0.05;
  int tries = 0;
  Checks checks = Checks::long_steps;  // what it broke on while it was smaller
  bool is_over = false, held = false;  // it is hopeless, or held and was trimmed
};
FleetGrowth growth_of(const PlanAnswer& plan, const PlanPoint& point);

/// Whether the next size keeps the SLO; where it does not, the one after it is larger.
void judge_next(FleetJudge& judge, FleetGrowth& growth);

/// The fewest nodes that keep the SLO, of one that holds: those that do with long steps, and where usual ones say no, those
/// that keep both.
PlannedFleet least_nodes(FleetJudge& judge, const FleetGrowth& growth);

/// The fewest nodes of a deployment where they cost less than `best`; nothing where it does not, which one or two tries tell.
std::optional<PlannedFleet> least_nodes_below(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point,
                                              const PlannedFleet& best);

/// The highest rate of the nodes that there are, roughly. `best_rate`: what others are known to serve, headroom included; 0:
/// nobody.
PlannedFleet rough_rate(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point, double best_rate);

/// The same fleet at a rate that is nearer to what it just does not serve.
PlannedFleet closer_rate(FleetJudge& judge, const PlanAnswer& plan, const PlannedFleet& fleet);

/// The highest rate of a deployment where it is above that of `best`; nothing where it is not, which one try tells.
std::optional<PlannedFleet> highest_rate_above(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point,
                                               const PlannedFleet& best);

/// Requests a second that the very fleet keeps the SLO at, as another judge has it: one of another confidence.
double rate_kept(FleetJudge& judge, const PlannedFleet& fleet);

}  // namespace ridge
