// From a rate to whole replicas and nodes, and back.

#include "serve/slo/fleet_size.hpp"

#include <doctest/doctest.h>

namespace fleet_size_test {

using namespace ridge;
using doctest::Approx;

TEST_CASE("a rate takes whole nodes, and all that is paid for is at work") {
  // 50 requests/s at 2.2 each: 22.7 replicas of 4 chips, so 23; two to a node of 8: 12 nodes, which hold 24.
  // 12 nodes of 8 chips at $0.001 a second are $0.096.
  const FleetSize size = fleet_of({.rate = 50, .nodes = {}, .budget = {}}, {{8, 0.001}}, {4, 2.2, 1, 0});
  CHECK(size.replicas == 24);
  CHECK(size.nodes == 12);
  CHECK(size.bill == Approx(0.096));
  CHECK(size.rate == Approx(24 * 2.2));
}

TEST_CASE("headroom and spare replicas come on top") {
  // 60 requests/s at 2.2 each: 27.3, so 28, and one to fail: 29, on 15 nodes, which hold 30
  const FleetSize size =
      fleet_of({.rate = 50, .nodes = {}, .budget = {}, .headroom = 0.2, .spare = 1}, {{8, 0.001}}, {4, 2.2, 1, 0});
  CHECK(size.nodes == 15);
  CHECK(size.replicas == 30);
}

TEST_CASE("prefill on chips of its own: whole replicas of both") {
  // 10 requests/s at 3 each: 3.3, so 4 of 8 chips; each keeps 1.5 of 2 chips busy: 5 of them. 4 nodes, and 10 chips: 2 more.
  const FleetSize size = fleet_of({.rate = 10, .nodes = {}, .budget = {}}, {{8, 0.001}}, {8, 3, 2, 1.5});
  CHECK(size.replicas == 4);
  CHECK(size.prefill_replicas == 5);
  CHECK(size.nodes == 6);
}

TEST_CASE("nodes and a budget give the highest rate") {
  // 4 nodes hold 8 replicas of 4 chips
  CHECK(fleet_of({.rate = {}, .nodes = 4, .budget = {}}, {{8, 0.001}}, {4, 2.2, 1, 0}).rate == Approx(17.6));
  // $0.033 a second pay for 4 nodes of $0.008
  CHECK(fleet_of({.rate = {}, .nodes = {}, .budget = 0.033}, {{8, 0.001}}, {4, 2.2, 1, 0}).nodes == 4);
  // less than one replica: nothing
  CHECK(fleet_of({.rate = {}, .nodes = 1, .budget = {}}, {{8, 0.001}}, {16, 2.2, 1, 0}).rate == 0);
}

TEST_CASE("pools of two machines take whole nodes of each, and what is paid for is at work") {
  // 10 requests/s at 3 each: 3.3, so 4 of 4 chips, two to a node of 8 at $0.002: 2 nodes, $0.032 a second.
  // Each keeps 1.5 of 2 chips busy: 5 for 3.33, on nodes of 4 chips at $0.001: 3 nodes, which hold 6, $0.012 a second.
  const SoldNodes sold{{8, 0.002}, NodeTerms{4, 0.001}};
  const ReplicaTerms replica{4, 3, 2, 1.5};
  const FleetSize size = fleet_of({.rate = 10, .nodes = {}, .budget = {}}, sold, replica);
  CHECK(size.replicas == 4);
  CHECK(size.nodes == 2);
  CHECK(size.prefill_replicas == 6);
  CHECK(size.prefill_nodes == 3);
  CHECK(size.bill == Approx(0.044));
  // 4 that decode finish 12 a second, 6 that prefill 6 / 1.5 x 3 = 12
  CHECK(size.rate == Approx(12));
  // as much money, and as many nodes of both together, serve as much; less does not
  CHECK(fleet_of({.rate = {}, .nodes = {}, .budget = 0.044}, sold, replica).rate == Approx(12));
  CHECK(fleet_of({.rate = {}, .nodes = 5, .budget = {}}, sold, replica).rate == Approx(12));
  CHECK(fleet_of({.rate = {}, .nodes = {}, .budget = 0.043}, sold, replica).rate < 12);
}

}  // namespace fleet_size_test
