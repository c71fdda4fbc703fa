#pragma once
// What a fleet draws, and the racks that it takes.

#include <optional>

#include "machine/rack.hpp"
#include "search/fleet/fleet.hpp"

namespace ridge {

struct FleetRacks {
  double count = 0;
  double nodes_each = 0;  // at most, in one rack
  double drawn = 0;       // watts, by a full rack
  double limit = 0;       // that one rack can be fed and cooled with
  bool within = true;     // a rack holds at least a node, and a domain of several nodes as a whole
};

struct FleetPower {
  double watts = 0;                         // of all nodes, at the meter; 0: not known of one of its machines
  double tokens_per_joule = 0;              // output tokens; a million of it is tokens a second of a megawatt
  std::optional<FleetRacks> racks;          // where the catalog knows them
  std::optional<FleetRacks> prefill_racks;  // of the machine that prefills, where it is another
};

/// A machine of a fleet, with the facts of its rack, or none.
struct PoweredMachine {
  const PlanMachine* machine = nullptr;
  const RackFacts* facts = nullptr;
};
/// `prefill`: its own machine's, where it has one.
FleetPower power_of(const PlannedFleet& fleet, const PoweredMachine& decode, const PoweredMachine& prefill = {});

}  // namespace ridge
