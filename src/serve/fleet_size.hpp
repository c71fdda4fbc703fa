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
  double bill = 0;  // dollars a second, of all nodes
  double rate = 0;  // requests a second that keep the SLO, spare replicas apart

  bool operator==(const FleetSize&) const = default;
};

/// What is bought: chips of a node, and what a chip costs (dollars a second).
struct NodeTerms {
  double chips = 1, price = 0;
};

/// A replica at the load that it runs.
struct ReplicaTerms {
  double chips = 1;
  double rate = 1;              // requests a second
  double prefill_chips = 1;     // of a replica that prefills
  double prefill_replicas = 0;  // that one that decodes keeps busy; 0: it does so itself
};

FleetSize fleet_of(const FleetAim& aim, const NodeTerms& node, const ReplicaTerms& replica);

/// Nodes that replicas of both kinds take.
double nodes_of(const ReplicaTerms& replica, double replicas, double prefill_replicas, double node);

}  // namespace ridge
