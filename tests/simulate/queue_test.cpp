// A one-slot engine is a queue that textbooks solve.

#include <doctest/doctest.h>

#include "repeats.hpp"
#include "simulate/simulation.hpp"

namespace ridge::simulate::queue_test {

/// One request at a time, of one step, which takes a microsecond for each token of its prompt.
SimulationSetup one_slot() {
  SimulationSetup setup;
  setup.replica.rules.max_sequences = 1;
  setup.replica.rules.composed_early = false;
  setup.replica.rules.token_budget = 1 << 24;
  setup.replica.limits.blocks = 1 << 24;
  setup.replica.time = [](std::span<const StepWork> ranks) { return ranks[0].prompt_tokens * 1000; };
  return setup;
}

constexpr std::int64_t kRequests = repeats(1'000'000);
// of the mean of so many waits, which hang on each other; ten times fewer are three times farther off
constexpr double kClose = RIDGE_SANITIZED ? 0.04 : 0.01;

TEST_CASE("M/D/1: the mean wait is that of Pollaczek and Khinchine, within 1 %") {
  SimulationSetup setup = one_slot();
  setup.client.prompt = {1000, 1000};  // 1 ms
  setup.client.requests = kRequests;
  for (const double busy : {0.3, 0.6, 0.8}) {
    setup.client.arrivals = OpenLoop{.rate = busy * 1000};
    const SimulationResult result = simulate(setup);
    CAPTURE(busy);
    // rho / (2 (1 - rho)) of a service
    CHECK(result.all.queue.spread().mean == doctest::Approx(1e-3 * busy / (2 * (1 - busy))).epsilon(kClose));
    CHECK(result.busy == doctest::Approx(busy).epsilon(kClose));
  }
}

TEST_CASE("M/M/1: the mean wait is rho / (1 - rho) of a service, within 1 %") {
  Trace trace;
  Random random(11);
  const double busy = 0.5;
  Nanoseconds now = 0;
  for (std::int64_t i = 0; i < kRequests; ++i) {
    now += nanoseconds(random.exponential() * 1e-2 / busy);
    const auto tokens = static_cast<std::int32_t>(random.exponential() * 10'000) + 1;  // 10 ms on average
    trace.requests.push_back({.sent = now, .prompt = tokens, .output = 1});
  }
  SimulationSetup setup = one_slot();
  setup.client.arrivals = Replay{&trace};
  setup.client.requests = kRequests;
  const SimulationResult result = simulate(setup);
  CHECK(result.all.queue.spread().mean == doctest::Approx(1e-2 * busy / (1 - busy)).epsilon(kClose));
  // the wait is exponential beyond its chance to be none: P(W > t) = rho e^(-(1 - rho) t / s), so the 99th percentile is
  // ln(rho / 0.01) / (1 - rho) services, 78.24 ms
  CHECK(result.all.queue.percentile(0.99) == doctest::Approx(0.07824).epsilon(2 * kClose));
}

TEST_CASE("Little's law: requests on their way are the rate times the time they take") {
  SimulationSetup setup = one_slot();
  setup.replica.rules.max_sequences = 8;
  setup.client.prompt = {100, 900};
  setup.client.output = {1, 50};
  setup.client.requests = 20'000;
  setup.replica.time = [](std::span<const StepWork> ranks) { return 50'000 + ranks[0].prompt_tokens * 1000; };
  setup.client.arrivals = OpenLoop{.rate = 700, .burstiness = 0.5};
  const SimulationResult result = simulate(setup);
  const Spread e2e = result.all.e2e.spread();
  const double by_requests = e2e.mean * static_cast<double>(e2e.count) / result.duration;
  CHECK(result.in_flight == doctest::Approx(by_requests).epsilon(1e-9));
}

}  // namespace ridge::simulate::queue_test
