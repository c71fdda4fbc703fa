#pragma once
// How many whole replicas, and on how many whole nodes, a rate takes; or what rate some nodes serve.

#include <optional>

namespace ridge {

/// Whole nodes for a rate, or the highest rate of so many nodes.
struct FleetAim {
  std::optional<double> rate;    // requests a second, in all
  std::optional<double> nodes;   // that there are
  std::optional<double> budget;  // dollars a second for them
  double headroom = 0;           // above the rate, as a share of it: the SLO holds there as well
  double spare = 0;              // replicas that may fail at once
};

/// Whole replicas on whole nodes.
struct FleetSize {
  double replicas = 0, prefill_replicas = 0;  // prefill: 0 where the others do it
  double nodes = 0;
  double prefill_nodes = 0;  // beside those, of the machine that prefill is on where it is another
  double bill = 0;           // dollars a second, of all nodes
  double rate = 0;           // requests a second that keep the SLO, spare replicas apart

  double all_nodes() const { return nodes + prefill_nodes; }
  bool operator==(const FleetSize&) const = default;
};

/// What is bought: chips of a node, and what a chip costs (dollars a second).
struct NodeTerms {
  double chips = 1, price = 0;

  double bill() const { return chips * price; }
  bool operator==(const NodeTerms&) const = default;
};

/// Both pools may share nodes, unless prefill has a machine of its own.
struct SoldNodes {
  NodeTerms node;
  std::optional<NodeTerms> prefill = {};  // where that is another machine's
};

/// A replica at the load that it runs.
struct ReplicaTerms {
  double chips = 1;
  double rate = 1;              // requests a second
  double prefill_chips = 1;     // of a replica that prefills
  double prefill_replicas = 0;  // that one that decodes keeps busy; 0: it does so itself
};

FleetSize fleet_of(const FleetAim& aim, const SoldNodes& sold, const ReplicaTerms& replica);

/// Fills in the nodes that its replicas of both kinds take, and their bill.
void take_nodes(FleetSize& size, const SoldNodes& sold, const ReplicaTerms& replica);

}  // namespace ridge
