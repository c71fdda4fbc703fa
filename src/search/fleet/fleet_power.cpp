#include "search/fleet/fleet_power.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

/// A scale-up domain of several nodes is one rack; else as many nodes as its feed allows.
std::optional<FleetRacks> racks_of(double nodes, const PlanMachine& machine, const RackFacts* facts) {
  if (facts == nullptr || !facts->power || !facts->power_limit) return {};
  const double drawn = facts->power->value.value(), limit = facts->power_limit->value.value();
  FleetRacks out;
  out.limit = limit;
  const bool domain_is_rack = machine.domain > machine.node;
  out.nodes_each = domain_is_rack ? std::floor(machine.domain / machine.node) : std::floor(limit / drawn);
  out.within = domain_is_rack ? drawn <= limit : out.nodes_each >= 1;
  out.nodes_each = std::max(1.0, out.nodes_each);
  out.drawn = domain_is_rack ? drawn : out.nodes_each * drawn;
  out.count = std::ceil(nodes / out.nodes_each);
  return out;
}

}  // namespace

FleetPower power_of(const PlannedFleet& fleet, const PoweredMachine& decode, const PoweredMachine& prefill) {
  FleetPower out;
  const FleetSize& size = fleet.point.fleet;
  const Deployment& deployment = fleet.closed.deployment;
  const auto drawn = [](const ServingGround& ground, double nodes, const PlanMachine& machine) {
    return ground.numbers.power.value() * nodes * machine.node;
  };
  out.watts = drawn(deployment.ground, size.nodes, *decode.machine);
  out.racks = racks_of(size.nodes, *decode.machine, decode.facts);
  if (prefill.machine != nullptr) {
    const double there = drawn(deployment.prefill_ground(), size.prefill_nodes, *prefill.machine);
    out.watts = out.watts > 0 && there > 0 ? out.watts + there : 0;
    out.prefill_racks = racks_of(size.prefill_nodes, *prefill.machine, prefill.facts);
  }
  if (out.watts > 0) out.tokens_per_joule = fleet.rate * fleet.closed.load.osl / out.watts;
  return out;
}

}  // namespace ridge
