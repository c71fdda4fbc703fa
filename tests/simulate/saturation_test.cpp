// An open loop that asks for more than can be done has a queue that grows without end.

#include <doctest/doctest.h>

#include "repeats.hpp"
#include "simulate/simulation.hpp"

namespace ridge::simulate::saturation_test {

/// One request at a time, 1 ms each.
SimulationSetup one_server(double rate, std::int64_t requests) {
  SimulationSetup setup;
  setup.replica.rules.max_sequences = 1;
  setup.replica.rules.composed_early = false;
  setup.replica.limits.blocks = 1 << 24;
  setup.replica.time = [](std::span<const StepWork>) { return Nanoseconds{1'000'000}; };
  setup.client.prompt = {100, 100};
  setup.client.requests = requests;
  setup.client.arrivals = OpenLoop{.rate = rate};
  return setup;
}

TEST_CASE("M/D/1 at 0.8 is not saturated; at 1.2 it is, and its queue grows by what it cannot finish") {
  for (const std::int64_t requests : {1000, 100'000}) {
    CAPTURE(requests);
    const std::uint64_t seeds = requests == 1000 ? 20 : repeats(20);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      CAPTURE(seed);
      SimulationSetup setup = one_server(800, requests);
      setup.seed = seed;
      CHECK_FALSE(simulate(setup).saturated);
      setup = one_server(1200, requests);
      setup.seed = seed;
      const SimulationResult over = simulate(setup);
      CHECK(over.saturated);
      CHECK(over.finish_rate == doctest::Approx(1000).epsilon(0.01));  // 1 / 1 ms
      // 1,200 come and 1,000 go; 500 arrivals stray by their root, 4.5 %, which is 54 a second
      CHECK(over.queue_growth == doctest::Approx(200).epsilon(requests == 1000 ? 0.8 : 0.1));
    }
  }
}

TEST_CASE("requests that come faster than any step ends are too many, though none of them is in a queue yet") {
  // 1,000 in a millisecond, which is one step and a tenth of the way through the front end: 500 more are behind at the end
  // than in the middle, and 1 of 1,000 can have run
  SimulationSetup setup = one_server(1e6, 1000);
  setup.replica.front.latency = 10'000'000;
  const SimulationResult result = simulate(setup);
  CHECK(result.saturated);
  CHECK(result.queue_growth == doctest::Approx(1e6).epsilon(0.2));  // 500 gaps stray by their root
  // and 800 a second with the same way through the front end are not
  setup = one_server(800, 1000);
  setup.replica.front.latency = 10'000'000;
  CHECK_FALSE(simulate(setup).saturated);
}

TEST_CASE("a closed loop is never saturated, however many wait in it") {
  SimulationSetup setup = one_server(1, 1000);
  setup.client.arrivals = ClosedLoop{.users = 100};
  CHECK_FALSE(simulate(setup).saturated);
}

TEST_CASE("one request alone is no growth") {
  const SimulationResult result = simulate(one_server(10, 1));
  CHECK_FALSE(result.saturated);
  CHECK(result.queue_growth == 0);
}

}  // namespace ridge::simulate::saturation_test
