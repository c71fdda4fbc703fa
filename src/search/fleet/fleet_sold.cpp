#include "search/fleet/fleet_sold.hpp"

#include <algorithm>

namespace ridge {

Result<Deployed> deployed_in(const FleetAnswer& answer, const Library& library) {
  const PlannedFleet& fleet = answer.fleets.front();
  ServingQuestion question = question_at(answer.plan.request, fleet.point);
  question.concurrency = std::max(1.0, fleet.closed.load.concurrency);
  auto deployment = resolve(question, library);
  if (!deployment) return fail(deployment.error());
  LoadChoice load = chosen_load(question, *deployment);
  return Deployed{std::move(question), std::move(*deployment), std::move(load)};
}

BoughtFleet bought_fleet(const FleetAnswer& answer) {
  const PlannedFleet& fleet = answer.fleets.front();
  const auto terms = [](const PlanMachine& machine) { return NodeTerms{machine.node, machine.idle_price}; };
  BoughtReplica each{
      {terms(answer.plan.machines[fleet.point.machine])},
      {fleet.point.layout.chips(), fleet.rate / fleet.at_work,
       fleet.point.disaggregated ? fleet.point.prefill_layout.chips() : 1, fleet.prefill_at_work / fleet.at_work}};
  if (const PlanMachine* prefill = prefill_machine_of(answer.plan, fleet.point)) each.sold.prefill = terms(*prefill);
  FleetAim aim = *answer.plan.request.fleet;
  aim.rate = fleet.rate / (1 + aim.headroom);
  aim.nodes.reset();
  aim.budget.reset();
  return {aim, fleet.point.fleet, each};
}

}  // namespace ridge
