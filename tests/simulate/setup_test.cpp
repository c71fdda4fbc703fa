// A deployment of the catalog, simulated: where both can be known, the simulator and the closed form say the same.

#include "simulate/setup.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "serve/estimate.hpp"

namespace ridge::simulate::setup_test {

SimulationQuestion question(std::int64_t users) {
  SimulationQuestion asked;
  asked.serving.scenario.model = "llama-3.1-70b";
  asked.serving.scenario.machine = "hgx-h100";
  asked.serving.tensor = 4;
  asked.client.arrivals = ClosedLoop{.users = users};
  asked.client.prompt = {1000, 1000};
  asked.client.output = {500, 500};
  asked.client.requests = users * 10;
  return asked;
}

SimulatedDeployment resolved(const SimulationQuestion& asked) {
  auto made = resolve(asked, testing::library());
  REQUIRE(made);
  return *made;
}

TEST_CASE("one user alone sees what the closed form says") {
  const SimulatedDeployment made = resolved(question(1));
  const SimulationResult result = simulate(made.setup);
  const ServingEstimate closed = evaluate(*made.deployment, made.load);
  CHECK(result.all.ttft.spread().mean == doctest::Approx(closed.times.ttft.value()).epsilon(1e-6));
  // the closed form takes the context in the middle; a step's time is not quite a straight line over it
  CHECK(result.all.tpot.spread().mean == doctest::Approx(closed.times.tpot.value()).epsilon(1e-3));
}

TEST_CASE("under load, the steady part of a run is within a tenth of the closed form") {
  for (const std::int64_t users : {4, 16, 64}) {
    SimulationQuestion asked = question(users);
    asked.client.output = {400, 600};
    const SimulatedDeployment made = resolved(asked);
    const SimulationResult result = simulate(made.setup);
    RequestLoad load = made.load;
    load.concurrency = static_cast<double>(users);
    const ServingEstimate closed = evaluate(*made.deployment, load);
    CAPTURE(users);
    CHECK(result.steady.tpot.spread().mean == doctest::Approx(closed.times.tpot.value()).epsilon(0.05));
    CHECK(result.steady.ttft.spread().mean == doctest::Approx(closed.times.ttft.value()).epsilon(0.1));
    const double rate = static_cast<double>(result.steady_output_tokens) / result.steady_duration;
    CHECK(rate == doctest::Approx(closed.output_rate.value()).epsilon(0.05));
  }
}

TEST_CASE("a prefill pool has steps of its own size where it is told to") {
  SimulationQuestion asked = question(8);
  asked.serving.disaggregated = true;
  asked.scheduler.max_sequences = 64;
  SimulatedDeployment made = resolved(asked);
  REQUIRE(made.setup.prefill);
  CHECK(made.setup.prefill->replica.rules.max_sequences == 64);
  asked.prefill_sequences = 4;
  asked.prefill_token_budget = 4608;
  made = resolved(asked);
  CHECK(made.setup.prefill->replica.rules.max_sequences == 4);
  CHECK(made.setup.prefill->replica.rules.token_budget == 4608);
  CHECK(made.setup.replica.rules.max_sequences == 64);
}

TEST_CASE("hardware that is twice as fast halves every time") {
  SimulatedDeployment made = resolved(question(16));
  const SimulationResult once = simulate(made.setup);
  const StepTime slow = made.setup.replica.time;
  made.setup.replica.time = [slow](std::span<const StepWork> ranks) { return slow(ranks) / 2; };
  made.setup.replica.front.latency /= 2;
  made.setup.replica.front.token_picoseconds /= 2;
  const SimulationResult twice = simulate(made.setup);
  CHECK(twice.steps == once.steps);
  for (const auto& [fast, usual] : {std::pair{&twice.all.ttft, &once.all.ttft},
                                    {&twice.all.tpot, &once.all.tpot},
                                    {&twice.all.itl, &once.all.itl},
                                    {&twice.all.e2e, &once.all.e2e}}) {
    CHECK(fast->spread().mean == doctest::Approx(usual->spread().mean / 2).epsilon(1e-6));
    CHECK(fast->spread().p99 == doctest::Approx(usual->spread().p99 / 2).epsilon(1e-6));
  }
}

TEST_CASE("a KV cache without end never preempts; a small one does, and loses nothing") {
  SimulationQuestion asked = question(64);
  asked.client.requests = 200;
  SimulatedDeployment made = resolved(asked);
  made.setup.replica.limits.blocks = 1 << 28;
  CHECK(simulate(made.setup).counts.preemptions == 0);
  made.setup.replica.limits.blocks = 1000;  // 16,000 tokens: ten requests
  const SimulationResult small = simulate(made.setup);
  CHECK(small.counts.preemptions > 0);
  CHECK(small.finished == 200);
  CHECK(small.output_tokens == 200 * 500);
  CHECK(small.most_cache <= 1.0);
}

TEST_CASE("rules come from the engine's facts, and flags change them") {
  SimulationQuestion asked = question(1);
  asked.serving.engine = "sglang";
  CHECK(resolved(asked).setup.replica.rules.batching == Batching::prefill_first);
  CHECK(resolved(asked).setup.replica.rules.admission == Admission::estimated_output);
  asked.serving.engine = "trtllm";
  CHECK(resolved(asked).setup.replica.rules.admission == Admission::whole);
  CHECK_FALSE(resolved(asked).setup.replica.rules.chunked_prefill);
  asked.scheduler.chunked_prefill = true;
  asked.scheduler.max_sequences = 7;
  CHECK(resolved(asked).setup.replica.rules.chunked_prefill);
  CHECK(resolved(asked).setup.replica.rules.max_sequences == 7);
}

}  // namespace ridge::simulate::setup_test
