// A rate and the nodes that serve it, there and back.

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "serve/slo/fleet_size.hpp"

namespace fleet_size_property {

using namespace ridge;

TEST_CASE("what nodes serve at most takes no more than those nodes") {
  rc::check([] {
    const auto count = [](int from, int most) { return static_cast<double>(*rc::gen::inRange(from, most)); };
    const SoldNodes node{{count(1, 16), 0.001}};
    const ReplicaTerms replica{count(1, 33), count(1, 100) / 10, count(1, 9), count(0, 40) / 10};
    const double nodes = count(1, 60);
    const FleetSize most = fleet_of({.rate = {}, .nodes = nodes, .budget = {}}, node, replica);
    if (most.rate <= 0) return;
    const FleetSize back = fleet_of({.rate = most.rate, .nodes = {}, .budget = {}}, node, replica);
    RC_ASSERT(back.nodes <= nodes);
    RC_ASSERT(back.rate >= most.rate * (1 - 1e-9));
  });
}

TEST_CASE("two machines: what a limit allows keeps it, and a rate is served by what it takes") {
  rc::check([] {
    const auto count = [](int from, int most) { return static_cast<double>(*rc::gen::inRange(from, most)); };
    const SoldNodes sold{{count(1, 16), count(1, 9) / 1000}, NodeTerms{count(1, 16), count(1, 9) / 1000}};
    const ReplicaTerms replica{count(1, 33), count(1, 100) / 10, count(1, 9), count(1, 40) / 10};
    const double nodes = count(2, 60);
    const FleetSize most = fleet_of({.rate = {}, .nodes = nodes, .budget = {}}, sold, replica);
    if (most.rate <= 0) return;
    RC_ASSERT(most.all_nodes() <= nodes);
    const FleetSize back = fleet_of({.rate = most.rate, .nodes = {}, .budget = {}}, sold, replica);
    RC_ASSERT(back.all_nodes() <= nodes);
    RC_ASSERT(back.rate >= most.rate * (1 - 1e-9));
    RC_ASSERT(back.nodes * sold.node.chips >= back.replicas * replica.chips - 1e-9);
    RC_ASSERT(back.prefill_nodes * sold.prefill->chips >= back.prefill_replicas * replica.prefill_chips - 1e-9);
  });
}

}  // namespace fleet_size_property
