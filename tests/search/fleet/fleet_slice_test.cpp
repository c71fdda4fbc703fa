// The part of a fleet that is simulated.

#include "search/fleet/fleet_slice.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace fleet_slice_test {

using namespace ridge;
using doctest::Approx;

TEST_CASE("a small fleet is simulated as a whole") {
  const FleetSlice slice =
      slice_of({.replicas = 4, .prefill_replicas = 17, .rate = 50, .request_time = 14, .osl = 500});
  CHECK(slice.replicas == 4);
  CHECK(slice.prefill_replicas == 17);
  CHECK(slice.rate == 50);
  CHECK(slice.requests >= 4 * 50 * 14);
}

TEST_CASE("of a large fleet each replica keeps its load, and requests last long enough to fill it") {
  const SlicedFleet fleet{.replicas = 360, .prefill_replicas = 0, .rate = 3000, .request_time = 12, .osl = 1000};
  const FleetSlice slice = slice_of(fleet);
  CHECK(slice.replicas < 100);
  CHECK(slice.replicas >= 6);
  CHECK(slice.rate / slice.replicas == Approx(3000.0 / 360));
  // the first ends after one life: three more are sent while all are full
  CHECK(static_cast<double>(slice.requests) >= 4 * slice.rate * fleet.request_time);
}

TEST_CASE("of replicas with many ranks, thousands of requests in each, three are enough") {
  // six of 12 replicas over 64 ranks took 340,000 requests, and a second, for each of a hundred simulations
  SlicedFleet fleet{.replicas = 20, .prefill_replicas = 140, .rate = 5000, .request_time = 12, .osl = 500};
  CHECK(slice_of(fleet).replicas >= 6);
  fleet.servers = 64;
  fleet.prefill_servers = 2;
  CHECK(slice_of(fleet).replicas >= 3);
  CHECK(slice_of(fleet).replicas < 6);
  fleet.rate = 250;  // a few hundred in each: as many replicas as share a queue like all
  CHECK(slice_of(fleet).replicas >= 6);
}

TEST_CASE("both pools of a slice are whole, and prefill is never more than its share") {
  for (double replicas = 40; replicas < 400; replicas += 37) {
    for (double prefill = 9; prefill < 300; prefill += 31) {
      const FleetSlice slice = slice_of({replicas, prefill, 2000, 20, 2000});
      CAPTURE(replicas);
      CAPTURE(prefill);
      CHECK(slice.replicas == std::floor(slice.replicas));
      CHECK(slice.prefill_replicas == std::floor(slice.prefill_replicas));
      CHECK(slice.prefill_replicas >= 1);
      CHECK(slice.replicas <= replicas);
      CHECK(slice.prefill_replicas / slice.replicas <= prefill / replicas * (1 + 1e-9));
      // rounding down costs little of it
      CHECK(slice.prefill_replicas / slice.replicas >= 0.93 * prefill / replicas);
    }
  }
}

}  // namespace fleet_slice_test
