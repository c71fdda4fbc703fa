#pragma once
// Chips are bought and rented by the node. How many nodes hold some replicas, and how many replicas some nodes hold.

#include <cmath>
#include <utility>

namespace ridge {

/// Replicas that are alike, and the chips of one.
struct ReplicaPool {
  double replicas = 0, chips = 1;
};

/// Replicas of so many chips that lie in one node; 0 where one takes several.
inline double replicas_in_node(double chips, double node) { return std::floor(node / chips); }

/// Nodes of `node` chips that hold two pools. A replica lies inside one node, or has whole nodes to itself; both pools may
/// share a node. The larger replicas are placed first, the smaller ones fill what they leave.
inline double nodes_for(ReplicaPool one, ReplicaPool other, double node) {
  if (one.chips < other.chips) std::swap(one, other);
  if (one.replicas <= 0) one = std::exchange(other, {});
  if (one.replicas <= 0) return 0;
  const double each = replicas_in_node(one.chips, node);
  if (each < 1) {  // what the last of its nodes has left goes to the smaller ones
    const double whole = std::ceil(one.chips / node), left = whole * node - one.chips;
    const double beside = one.replicas * std::floor(left / other.chips);
    const double rest = std::fmax(0.0, other.replicas - beside);
    return one.replicas * whole + nodes_for({rest, other.chips}, {}, node);
  }
  const double nodes = std::ceil(one.replicas / each);
  if (other.replicas <= 0) return nodes;
  const double full = std::floor(one.replicas / each), last = one.replicas - full * each;
  double beside = full * std::floor((node - each * one.chips) / other.chips);
  if (last > 0) beside += std::floor((node - last * one.chips) / other.chips);
  return nodes + nodes_for({std::fmax(0.0, other.replicas - beside), other.chips}, {}, node);
}

}  // namespace ridge
