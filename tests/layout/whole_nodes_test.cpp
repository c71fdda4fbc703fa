// Whole nodes for whole replicas.

#include "layout/whole_nodes.hpp"

#include <doctest/doctest.h>

namespace whole_nodes_test {

using namespace ridge;

TEST_CASE("replicas smaller than a node share it, larger ones have nodes to themselves") {
  CHECK(nodes_for({24, 4}, {}, 8) == 12);  // two to a node
  CHECK(nodes_for({25, 4}, {}, 8) == 13);
  CHECK(nodes_for({3, 3}, {}, 8) == 2);  // two to a node, two chips of each idle
  CHECK(nodes_for({3, 16}, {}, 8) == 6);
  CHECK(nodes_for({2, 12}, {}, 8) == 4);  // half of the second node is nobody's
  CHECK(nodes_for({0, 4}, {}, 8) == 0);
}

TEST_CASE("two pools share nodes") {
  // one of four chips and two of two fill a node; the next two of two begin another
  CHECK(nodes_for({1, 4}, {2, 2}, 8) == 1);
  CHECK(nodes_for({1, 4}, {3, 2}, 8) == 2);
  CHECK(nodes_for({3, 2}, {1, 4}, 8) == 2);  // whichever is named first
  // five of five chips leave three in each node: one of three beside each
  CHECK(nodes_for({5, 5}, {5, 3}, 8) == 5);
  CHECK(nodes_for({5, 5}, {6, 3}, 8) == 6);
  // a replica of twelve leaves four chips of its second node
  CHECK(nodes_for({1, 12}, {1, 4}, 8) == 2);
  CHECK(nodes_for({1, 12}, {2, 4}, 8) == 3);
}

}  // namespace whole_nodes_test
