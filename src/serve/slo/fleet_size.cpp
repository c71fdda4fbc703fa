#include "serve/slo/fleet_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "layout/whole_nodes.hpp"

namespace ridge {

namespace {

constexpr double kRounding = 1e-9;  // a share of a replica that is none

double whole_up(double value) { return std::ceil(value * (1 - kRounding)); }

/// The replicas for a rate, and those that may fail.
FleetSize for_rate(const FleetAim& aim, double rate, const SoldNodes& sold, const ReplicaTerms& replica) {
  const double busy = rate / replica.rate;
  FleetSize out;
  out.replicas = std::max(1.0, whole_up(busy)) + aim.spare;
  if (replica.prefill_replicas > 0)
    out.prefill_replicas = std::max(1.0, whole_up(busy * replica.prefill_replicas)) + aim.spare;
  take_nodes(out, sold, replica);
  if (replica.prefill_replicas == 0 || sold.prefill)  // paid for, and so at work
    out.replicas = std::max(out.replicas, out.nodes * replicas_in_node(replica.chips, sold.node.chips));
  if (sold.prefill)
    out.prefill_replicas = std::max(out.prefill_replicas,
                                    out.prefill_nodes * replicas_in_node(replica.prefill_chips, sold.prefill->chips));
  out.rate = (out.replicas - aim.spare) * replica.rate;
  if (replica.prefill_replicas > 0)
    out.rate = std::min(out.rate, (out.prefill_replicas - aim.spare) / replica.prefill_replicas * replica.rate);
  return out;
}

/// What there is: so many nodes, of both machines together where there are two, and so much money.
struct FleetLimit {
  double nodes = 0, bill = 0;

  bool holds(const FleetSize& size) const { return size.all_nodes() <= nodes && size.bill <= bill * (1 + kRounding); }
};

/// The highest rate within a limit. More rate takes more of both kinds, so that it is found by halving the number of
/// replicas that decode; those that prefill may then be the ones that bind.
FleetSize most_within(const FleetAim& aim, const FleetLimit& limit, const SoldNodes& sold,
                      const ReplicaTerms& replica) {
  const auto fits = [&](double rate) { return limit.holds(for_rate(aim, rate, sold, replica)); };
  FleetSize best;
  double low = 0, high = std::floor(limit.nodes * sold.node.chips / replica.chips) + 1;  // replicas that decode
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle * replica.rate) ? low : high) = middle;
  }
  const auto take = [&](double rate) {
    if (!(rate > best.rate) || !fits(rate)) return;
    best = for_rate(aim, rate, sold, replica);
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
  if (!sold.prefill) {  // all that there is, at work or not
    best.nodes = limit.nodes;
    best.bill = limit.nodes * sold.node.chips * sold.node.price;
  }
  return best;
}

}  // namespace

void take_nodes(FleetSize& size, const SoldNodes& sold, const ReplicaTerms& replica) {
  const ReplicaPool decode{size.replicas, replica.chips}, prefill{size.prefill_replicas, replica.prefill_chips};
  size.nodes = nodes_for(decode, sold.prefill ? ReplicaPool{} : prefill, sold.node.chips);
  size.prefill_nodes = sold.prefill ? nodes_for(prefill, {}, sold.prefill->chips) : 0;
  size.bill = size.nodes * sold.node.chips * sold.node.price;
  if (sold.prefill) size.bill += size.prefill_nodes * sold.prefill->chips * sold.prefill->price;
}

FleetSize fleet_of(const FleetAim& aim, const SoldNodes& sold, const ReplicaTerms& replica) {
  if (aim.rate) return for_rate(aim, *aim.rate * (1 + aim.headroom), sold, replica);
  FleetLimit limit{1e6, aim.budget.value_or(std::numeric_limits<double>::infinity())};
  if (aim.nodes) limit.nodes = *aim.nodes;
  if (aim.budget && !sold.prefill && sold.node.bill() > 0)
    limit.nodes = std::min(limit.nodes, std::floor(*aim.budget / sold.node.bill() * (1 + kRounding)));
  FleetSize out = most_within(aim, limit, sold, replica);
  out.rate /= 1 + aim.headroom;
  return out;
}

}  // namespace ridge
