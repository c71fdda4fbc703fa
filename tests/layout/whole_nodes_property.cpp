// Nodes of any size for replicas of any size.

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "layout/whole_nodes.hpp"

namespace whole_nodes_property {

using namespace ridge;

TEST_CASE("nodes hold what they are counted for, and more replicas never take fewer") {
  rc::check([] {
    const auto count = [](int most) { return static_cast<double>(*rc::gen::inRange(0, most)); };
    const double node = 1 + count(16);
    const ReplicaPool one{count(30), 1 + count(40)}, other{count(30), 1 + count(40)};
    const double nodes = nodes_for(one, other, node);
    RC_ASSERT(nodes * node >= one.replicas * one.chips + other.replicas * other.chips);
    RC_ASSERT(nodes <= nodes_for(one, {}, node) + nodes_for(other, {}, node));
    RC_ASSERT(nodes <= nodes_for({one.replicas + 1, one.chips}, other, node));
    RC_ASSERT(nodes == nodes_for(other, one, node));
  });
}

}  // namespace whole_nodes_property
