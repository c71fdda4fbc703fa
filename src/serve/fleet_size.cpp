#include "serve/fleet_size.hpp"

#include <algorithm>
#include <cmath>

#include "layout/whole_nodes.hpp"

namespace ridge {

namespace {

constexpr double kRounding = 1e-9;  // a share of a replica that is none

double whole_up(double value) { return std::ceil(value * (1 - kRounding)); }

/// The replicas for a rate, and those that may fail.
FleetSize for_rate(const FleetAim& aim, double rate, const NodeTerms& node, const ReplicaTerms& replica) {
  const double busy = rate / replica.rate;
  FleetSize out;
  out.replicas = std::max(1.0, whole_up(busy)) + aim.spare;
  if (replica.prefill_replicas > 0)
    out.prefill_replicas = std::max(1.0, whole_up(busy * replica.prefill_replicas)) + aim.spare;
  out.nodes = nodes_of(replica, out.replicas, out.prefill_replicas, node.chips);
  if (replica.prefill_replicas == 0)  // paid for, and so at work
    out.replicas = std::max(out.replicas, out.nodes * replicas_in_node(replica.chips, node.chips));
  out.bill = out.nodes * node.chips * node.price;
  out.rate = (out.replicas - aim.spare) * replica.rate;
  if (replica.prefill_replicas > 0)
    out.rate = std::min(out.rate, (out.prefill_replicas - aim.spare) / replica.prefill_replicas * replica.rate);
  return out;
}

/// The highest rate on so many nodes. More rate takes more of both kinds, so that it is found by halving the number of
/// replicas that decode; those that prefill may then be the ones that bind.
FleetSize on_nodes(const FleetAim& aim, double nodes, const NodeTerms& node, const ReplicaTerms& replica) {
  const auto fits = [&](double rate) { return for_rate(aim, rate, node, replica).nodes <= nodes; };
  FleetSize best;
  best.nodes = nodes;
  best.bill = nodes * node.chips * node.price;
  double low = 0, high = std::floor(nodes * node.chips / replica.chips) + 1;  // replicas that decode
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle * replica.rate) ? low : high) = middle;
  }
  const auto take = [&](double rate) {
    if (!(rate > best.rate) || !fits(rate)) return;
    const FleetSize found = for_rate(aim, rate, node, replica);
    best.replicas = found.replicas;
    best.prefill_replicas = found.prefill_replicas;
    best.rate = rate;
  };
  take(low * replica.rate);
  if (replica.prefill_replicas > 0) {
    const double there = std::floor(low * replica.prefill_replicas);
    for (const double prefill : {there, there + 1, there + 2}) {
      const double rate = prefill / replica.prefill_replicas * replica.rate;
      take(std::min(rate, (low + 1) * replica.rate));
    }
  }
  return best;
}

}  // namespace

double nodes_of(const ReplicaTerms& replica, double replicas, double prefill_replicas, double node) {
  return nodes_for({replicas, replica.chips}, {prefill_replicas, replica.prefill_chips}, node);
}

FleetSize fleet_of(const FleetAim& aim, const NodeTerms& node, const ReplicaTerms& replica) {
  if (aim.rate) return for_rate(aim, *aim.rate * (1 + aim.headroom), node, replica);
  constexpr double kMostNodes = 1e6;
  double nodes = aim.nodes.value_or(kMostNodes);
  if (aim.budget && node.price > 0) nodes = std::min(nodes, std::floor(*aim.budget / (node.chips * node.price)));
  FleetSize out = on_nodes(aim, nodes, node, replica);
  out.rate /= 1 + aim.headroom;
  return out;
}

}  // namespace ridge
