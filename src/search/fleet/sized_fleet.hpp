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

/// The fewest nodes that keep the SLO at the rate that is asked for, unless that costs more than anybody would pay; dollars
/// a second.
PlannedFleet least_nodes(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point, double most_bill);

/// The same where it costs less than `best`; nothing where it does not, which one or two tries tell.
std::optional<PlannedFleet> least_nodes_below(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point,
                                              const PlannedFleet& best);

/// The highest rate of the nodes that there are.
PlannedFleet highest_rate(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point);

/// The same where it is above that of `best`; nothing where it is not, which one try tells.
std::optional<PlannedFleet> highest_rate_above(FleetJudge& judge, const PlanAnswer& plan, const PlanPoint& point,
                                               const PlannedFleet& best);

/// Requests a second that the very fleet keeps the SLO at, as another judge has it: one of another confidence.
double rate_kept(FleetJudge& judge, const PlannedFleet& fleet);

}  // namespace ridge
