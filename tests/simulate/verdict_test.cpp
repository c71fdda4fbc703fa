// A run that is only asked whether limits are kept says what the whole run would have said, and ends sooner.

#include <cmath>

#include <doctest/doctest.h>

#include "simulate/simulation.hpp"

namespace ridge::simulate::verdict_test {

namespace {

/// An engine of 16 places whose step takes 2 ms and a microsecond for each token of a prompt.
SimulationSetup small_engine(double rate, std::uint64_t seed, std::int64_t requests = 2000) {
  SimulationSetup setup;
  setup.replica.rules.max_sequences = 16;
  setup.replica.limits.blocks = 1 << 20;
  setup.replica.time = [](std::span<const StepWork> ranks) { return 2'000'000 + ranks[0].prompt_tokens * 1000; };
  setup.client.prompt = {200, 1800};
  setup.client.output = {20, 100};
  setup.client.requests = requests;
  setup.client.arrivals = OpenLoop{.rate = rate};
  setup.seed = seed;
  return setup;
}

const Samples& of(const Latencies& seen, SpanLimit::Of what) {
  return what == SpanLimit::Of::ttft ? seen.ttft : what == SpanLimit::Of::tpot ? seen.tpot : seen.e2e;
}

double statistic(const Latencies& seen, const SpanLimit& limit) {
  const Samples& samples = of(seen, limit.of);
  return limit.share == 0 ? samples.spread().mean : samples.percentile(limit.share);
}

}  // namespace

TEST_CASE("a verdict is that of the whole run, whatever the limit and the load") {
  using Of = SpanLimit::Of;
  std::int64_t steps = 0, all_steps = 0;
  int exceeded = 0, kept = 0;
  for (const double rate : {40.0, 80.0, 95.0, 110.0, 200.0}) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const SimulationSetup setup = small_engine(rate, seed);
      const SimulationResult whole = simulate(setup);
      for (const Of what : {Of::ttft, Of::tpot, Of::e2e}) {
        for (const double share : {0.0, 0.5, 0.99}) {
          const double there = statistic(whole.judged(), {what, share, 0});
          for (const double part : {0.3, 0.999, 1.0, 1.001, 2.0}) {
            const SpanLimit limit{what, share, there * part};
            Onlookers look;
            look.verdict = {limit};
            const SimulationResult told = simulate(setup, {}, look);
            const bool misses = told.exceeded || statistic(told.judged(), limit) > limit.longest;
            CAPTURE(rate);
            CAPTURE(share);
            CAPTURE(part);
            CHECK(misses == (there > limit.longest));
            if (!told.exceeded) {
              CHECK(told.saturated == whole.saturated);
              CHECK(statistic(told.judged(), limit) == there);
            }
            (misses ? exceeded : kept) += 1;
            steps += told.steps;
            all_steps += whole.steps;
          }
        }
      }
    }
  }
  CHECK(exceeded > 100);
  CHECK(kept > 100);
  CHECK(steps < 0.85 * static_cast<double>(all_steps));
}

TEST_CASE("a run that goes on where limits are kept is the whole one, and one that breaks them still ends") {
  const SimulationSetup setup = small_engine(80, 1);
  const SimulationResult whole = simulate(setup);
  const double there = whole.judged().ttft.percentile(0.99);
  const auto told = [&](double longest) {
    Onlookers look;
    look.verdict = {{SpanLimit::Of::ttft, 0.99, longest}};
    look.whole_where_kept = true;
    return simulate(setup, {}, look);
  };
  const SimulationResult kept = told(2 * there), broken = told(0.3 * there);
  CHECK(!kept.exceeded);
  CHECK(kept.finished == whole.finished);
  CHECK(kept.steps == whole.steps);
  CHECK(kept.busy == whole.busy);
  CHECK(kept.judged().e2e.spread().mean == whole.judged().e2e.spread().mean);
  CHECK(broken.exceeded);
  CHECK(broken.steps < whole.steps);
}

TEST_CASE("where too few requests are steady, all are judged, by a verdict as well") {
  int all_judged = 0;
  for (const std::int64_t requests : {150, 400}) {
    for (const double rate : {95.0, 200.0}) {
      const SimulationSetup setup = small_engine(rate, 1, requests);
      const SimulationResult whole = simulate(setup);
      if (&whole.judged() == &whole.all) ++all_judged;
      for (const double share : {0.0, 0.5, 0.99}) {
        const double there = statistic(whole.judged(), {SpanLimit::Of::ttft, share, 0});
        for (const double part : {0.3, 0.999, 1.0, 1.001, 2.0}) {
          const SpanLimit limit{SpanLimit::Of::ttft, share, there * part};
          Onlookers look;
          look.verdict = {limit};
          const SimulationResult told = simulate(setup, {}, look);
          CAPTURE(requests);
          CAPTURE(rate);
          CAPTURE(share);
          CAPTURE(part);
          const bool misses = told.saturated || told.exceeded || statistic(told.judged(), limit) > limit.longest;
          CHECK(misses == (whole.saturated || there > limit.longest));
        }
      }
    }
  }
  CHECK(all_judged >= 2);
}

TEST_CASE("far above a limit a run ends early") {
  const SimulationSetup setup = small_engine(200, 1);
  Onlookers look;
  look.verdict = {{SpanLimit::Of::ttft, 0.99, 0.05}};
  const SimulationResult told = simulate(setup, {}, look);
  CHECK(told.exceeded);
  CHECK(told.steps < simulate(setup).steps / 2);
}

}  // namespace ridge::simulate::verdict_test
