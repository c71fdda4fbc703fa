// Collectives against figures worked by hand.

#include "cost/collectives.hpp"

#include <doctest/doctest.h>

using namespace ridge;

namespace {

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-9).scale(0); }

Link<double> link(double speed, double hop = 0) { return {BytesPerSecond<double>(speed), Seconds<double>(hop)}; }

}  // namespace

TEST_CASE("rings: V (n-1) / (n U), and twice that to add up") {
  // 64 MB over eight chips at 450 GB/s: 64e6 x 7/8 / 450e9 = 124.4 us, and 7 hops of 2 us
  const Bytes<double> volume(64e6);
  CHECK(all_gather_ring(volume, link(450e9, 2e-6), 8).value() == near(64e6 * 7 / 8 / 450e9 + 14e-6));
  CHECK(all_reduce_ring(volume, link(450e9, 2e-6), 8).value() == near(2 * (64e6 * 7 / 8 / 450e9 + 14e-6)));
  // scaling book: busbw = 2 (n-1)/n V / t is the link's speed for a long array
  const double long_time = all_reduce_ring(Bytes<double>(1e12), link(450e9, 2e-6), 8).value();
  CHECK(2.0 * 7 / 8 * 1e12 / long_time == doctest::Approx(450e9).epsilon(1e-4));
}

TEST_CASE("one shot for short arrays, two for long ones, and the switch halves that") {
  const auto l = link(450e9, 3e-6);
  // equal at V (n-1)/U + h = 2 V (n-1)/(n U) + 2 h: V = h U / ((n-1)(1 - 2/n)) = 3e-6 x 450e9 / 5.25 = 257 kB
  const double equal = 3e-6 * 450e9 / (7 * (1 - 2.0 / 8));
  CHECK(all_reduce_one_shot(Bytes<double>(equal), l, 8).value() ==
        near(all_reduce_two_shot(Bytes<double>(equal), l, 8).value()));
  CHECK(all_reduce_one_shot(Bytes<double>(equal / 2), l, 8) < all_reduce_two_shot(Bytes<double>(equal / 2), l, 8));
  CHECK(all_reduce_one_shot(Bytes<double>(equal * 2), l, 8) > all_reduce_two_shot(Bytes<double>(equal * 2), l, 8));
  // in the network V/U against 2 V (n-1)/n / U: 1.75 times less for eight chips
  const auto ratio = all_reduce_two_shot(Bytes<double>(1e12), l, 8) / all_reduce_in_network(Bytes<double>(1e12), l);
  CHECK(ratio.value() == doctest::Approx(1.75).epsilon(1e-4));
}

TEST_CASE("trees have fewer hops than rings, rings fewer bytes") {
  const auto l = link(50e9, 5e-6);
  // 64 chips: 126 hops around, 12 up and down
  CHECK(all_reduce_tree(Bytes<double>(1e3), l, 64) < all_reduce_ring(Bytes<double>(1e3), l, 64));
  CHECK(all_reduce_tree(Bytes<double>(1e11), l, 64) > all_reduce_ring(Bytes<double>(1e11), l, 64));
}

TEST_CASE("what a topology does not have is not chosen") {
  const auto l = link(450e9, 3e-6);
  const Bytes<double> small(1e4);
  CHECK(all_reduce_best(small, l, 8, true, false) == all_reduce_one_shot(small, l, 8));
  CHECK(all_reduce_best(small, l, 8, false, false) == all_reduce_tree(small, l, 8));
  CHECK(all_reduce_best(Bytes<double>(1e9), l, 8, true, true) == all_reduce_in_network(Bytes<double>(1e9), l));
}

TEST_CASE("all to all: a switch moves V (n-1)/n^2, a torus makes bytes travel") {
  // 1 GB over 64 chips at 900 GB/s: 1e9 x 63/4096 / 900e9 = 17.1 us
  CHECK(all_to_all_switched(Bytes<double>(1e9), link(900e9), 64).value() == near(1e9 * 63 / 4096 / 900e9));
  // a 4 x 4 x 4 torus: three links on average
  CHECK(all_to_all_torus(Bytes<double>(1e9), link(300e9), 64, 3).value() == near(1e9 / 64 * 3 / 300e9));
  // a ring of n with both directions: n/4 links, V/n from each chip: a quarter of an all-gather's V/U
  const double ring = all_to_all_torus(Bytes<double>(1e9), link(300e9), 64, 16).value();
  CHECK(ring == near(1e9 / 300e9 / 4));
}

TEST_CASE("over domains the slower level sets the pace") {
  // 1 GB, 8 chips at 450 GB/s in each of 4 domains at 50 GB/s: 1.94 ms inside, 1e9 x 3/4/8 / 50e9 = 1.875 ms across
  const double time = all_gather_levels(Bytes<double>(1e9), link(450e9), 8, link(50e9), 4).value();
  CHECK(time == near(1e9 * 7 / 8 / 450e9));
  CHECK(all_gather_levels(Bytes<double>(1e9), link(450e9), 8, link(25e9), 4).value() == near(1e9 * 3 / 4 / 8 / 25e9));
}
