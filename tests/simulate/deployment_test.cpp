// Tiers below the chips' memory, replicas that fail and return, cold starts, and clients that hold back, warm up and
// stretch their gaps.

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "simulate/answer/capacity_error.hpp"
#include "simulate/simulation.hpp"

namespace ridge::simulate::deployment_test {

constexpr Nanoseconds kMillisecond = 1'000'000;

/// Every step takes 10 ms, and 1 us for each token of a prompt.
SimulationSetup plain() {
  SimulationSetup setup;
  setup.replica.rules.composed_early = false;
  setup.replica.limits.blocks = 1000;
  setup.replica.time = [](std::span<const StepWork> ranks) {
    Nanoseconds time = 10 * kMillisecond;
    for (const StepWork& rank : ranks) time += rank.prompt_tokens * 1000;
    return time;
  };
  setup.client.prompt = {1000, 1000};
  setup.client.output = {2, 2};
  setup.client.requests = 1;
  return setup;
}

struct Seen {
  std::vector<RequestOutcome> requests;
  SimulationResult result;
};

Seen watched(const SimulationSetup& setup) {
  Seen seen;
  Onlookers look;
  look.finished = [&](const RequestOutcome& one) { seen.requests.push_back(one); };
  seen.result = simulate(setup, {}, look);
  std::sort(seen.requests.begin(), seen.requests.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return seen;
}

TEST_CASE("what falls out of a tier goes into the next, the longest unused first, and is gone after the last") {
  ChunkStore store({{.tokens = 128}, {.tokens = 64}});
  for (const std::uint64_t name : {1U, 2U, 3U, 4U}) store.put(name, 64);
  // two in the first, one in the second; the first of all is gone
  CHECK(store.tier_of(4) == 0);
  CHECK(store.tier_of(3) == 0);
  CHECK(store.tier_of(2) == 1);
  CHECK(store.tier_of(1) == -1);
  store.put(2, 64);  // used again: 3 makes room for it
  CHECK(store.tier_of(2) == 0);
  CHECK(store.tier_of(3) == 1);
  CHECK(store.tokens(0) == 128);
  CHECK(store.tokens(1) == 64);
  store.erase(4);
  CHECK(store.tokens(0) == 64);
}

/// Two prompts by turns, of which the KV cache holds one: 63 blocks of 16 tokens.
Trace by_turns() {
  Trace trace;
  trace.chunk_tokens = 16;
  for (std::uint64_t i = 0; i < 124; ++i) trace.chunks.push_back(i);
  for (int i = 0; i < 6; ++i) {
    trace.requests.push_back(
        {.sent = i * kSecond, .prompt = 1000, .output = 2, .first_chunk = i % 2 == 0 ? 0U : 62U, .prompt_chunks = 62});
  }
  return trace;
}

TEST_CASE("a prefix that was evicted comes back from its tier at the tier's rate") {
  const Trace trace = by_turns();
  SimulationSetup setup = plain();
  setup.client.arrivals = Replay{&trace};
  setup.client.requests = 6;
  setup.replica.limits.blocks = 63;
  const Seen without = watched(setup);
  CHECK(without.result.counts.cached_tokens == 0);
  CHECK(without.requests[5].ttft() == 11 * kMillisecond);  // a step with 1,000 tokens
  setup.replica.limits.tiers = {{.tokens = 10'000, .latency = 50'000, .token_time = 100}};
  setup.replica.limits.recompute_time = 1000;
  const Seen with = watched(setup);
  // by hand: 62 chunks of 16 are 992 tokens, at 100 ns each 99.2 us, and 50 us of latency; then a step with 8 tokens
  CHECK(with.requests[5].cached == 992);
  CHECK(with.requests[5].ttft() == 149'200 + 10 * kMillisecond + 8000);
  CHECK(with.result.counts.fetched_tokens == 4 * 992);  // all but the first of each
}

TEST_CASE("what is computed sooner than fetched is computed") {
  const Trace trace = by_turns();
  SimulationSetup setup = plain();
  setup.client.arrivals = Replay{&trace};
  setup.client.requests = 6;
  setup.replica.limits.blocks = 63;
  const auto before = watched(setup).result.all.ttft.curve(20);
  setup.replica.limits.tiers = {{.tokens = 10'000, .latency = 0, .token_time = 1001}};
  setup.replica.limits.recompute_time = 1000;
  const Seen seen = watched(setup);
  CHECK(seen.result.counts.fetched_tokens == 0);
  CHECK(seen.result.all.ttft.curve(20) == before);
}

TEST_CASE("fetches of one rank come one after the other") {
  Trace trace = by_turns();
  trace.requests[4].sent = trace.requests[5].sent = 5 * kSecond;  // both at once
  SimulationSetup setup = plain();
  setup.client.arrivals = Replay{&trace};
  setup.client.requests = 6;
  setup.replica.limits.blocks = 126;  // both fit together, but a third prompt between them takes all
  trace.requests[3] = {.sent = 3 * kSecond, .prompt = 2000, .output = 2};
  setup.replica.limits.tiers = {{.tokens = 10'000, .latency = 0, .token_time = 400}};
  setup.replica.limits.recompute_time = 1000;
  const Seen seen = watched(setup);
  // by hand: 992 tokens at 400 ns are 396.8 us; the second has its own after 793.6 us, less than computing it would take
  REQUIRE(seen.result.counts.fetched_tokens == 2 * 992);
  CHECK(seen.requests[4].ttft() == 396'800 + 10 * kMillisecond + 8000);
  // it waits for the step that began at 396.8 us
  CHECK(seen.requests[5].ttft() == 396'800 + 2 * (10 * kMillisecond + 8000));
}

TEST_CASE("a replica that fails loses what it runs, and the other does it") {
  SimulationSetup setup = plain();
  setup.replicas = 2;
  setup.client.requests = 4;
  setup.client.arrivals = ClosedLoop{2};
  setup.failures.outages = {{.at = 5 * kMillisecond, .length = 0, .replica = 0}};
  const Seen seen = watched(setup);
  CHECK(seen.result.finished == 4);
  CHECK(seen.result.failures == 1);
  CHECK(seen.result.retries == 1);
  for (const RequestOutcome& one : seen.requests) CHECK(one.replica == 1);
  // by hand: the second runs alone from 0 to 11 ms; the first joins then, a step with its prompt and a decode: 22 ms
  CHECK(seen.requests[0].retries == 1);
  CHECK(seen.requests[0].ttft() == 22 * kMillisecond);
}

TEST_CASE("with nobody there requests wait for the one that returns, and find its cache empty") {
  const Trace trace = by_turns();
  SimulationSetup setup = plain();
  setup.client.arrivals = Replay{&trace};
  setup.client.requests = 6;
  CHECK(watched(setup).requests[4].cached == 992);
  // at 3.5 s, until 4.25 s: the request of 4 s waits for a quarter of a second
  setup.failures.outages = {{.at = 3500 * kMillisecond, .length = 750 * kMillisecond, .replica = 0}};
  Seen seen = watched(setup);
  CHECK(seen.requests[4].cached == 0);
  CHECK(seen.requests[4].ttft() == 261 * kMillisecond);
  CHECK(seen.result.retries == 0);
  setup.replica.cold_start = 100 * kMillisecond;  // and then it is cold
  seen = watched(setup);
  CHECK(seen.requests[4].ttft() == 361 * kMillisecond);
  CHECK(seen.requests[0].ttft() == 111 * kMillisecond);
}

TEST_CASE("what fails again and again is given up, and what never returns leaves nobody waiting") {
  SimulationSetup setup = plain();
  setup.client.output = {1000, 1000};  // 10 s, and nobody is up for so long
  setup.failures.mean_time = 20 * kMillisecond;
  setup.failures.repair = kMillisecond;
  Seen seen = watched(setup);
  CHECK(seen.result.lost == 1);
  CHECK(seen.result.retries == kMostRetries + 1);
  CHECK(seen.requests[0].lost);
  setup.failures = {};
  setup.failures.outages = {{.at = 5, .length = 0, .replica = 0}};
  seen = watched(setup);
  CHECK(seen.result.lost == 1);
  CHECK(seen.result.finished == 0);
}

TEST_CASE("each pool has its own utilization, and the KV cache is that of the replicas that decode") {
  SimulationSetup setup = plain();
  setup.client.output = {101, 101};
  setup.client.requests = 1;
  setup.prefill = PrefillPoolSetup{setup.replica, 3, 0, 0};
  const SimulationResult result = simulate(setup);
  // one prompt of 1000 tokens: 11 ms on one of three; then 100 further tokens, 10 ms each, alone on the one that decodes
  CHECK(result.duration == doctest::Approx(1.011).epsilon(0.02));
  CHECK(result.busy == doctest::Approx(1 / 1.011).epsilon(0.02));
  CHECK(result.prefill_busy == doctest::Approx(0.011 / 1.011 / 3).epsilon(0.02));
  // 1000 to 1100 tokens of 16 a block, of 1000 blocks, while it decodes
  CHECK(result.most_cache == doctest::Approx(69 / 1000.0).epsilon(0.03));
  CHECK(result.mean_cache == doctest::Approx(66 / 1000.0).epsilon(0.05));
}

TEST_CASE("failures at random come as often as they should") {
  SimulationSetup setup = plain();
  setup.replicas = 4;
  setup.client.output = {10, 10};
  setup.client.requests = 20'000;
  setup.client.arrivals = OpenLoop{.rate = 20};
  setup.failures.mean_time = 10 * kSecond;
  setup.failures.repair = 10 * kSecond;
  const SimulationResult result = simulate(setup);
  CHECK(result.finished == 20'000);
  // 4 replicas, each up for 10 s and down for 10: 0.2 failures a second over 1,000 s; within four roots of 200
  CHECK(static_cast<double>(result.failures) == doctest::Approx(200).epsilon(0.28));
}

TEST_CASE("a cold start comes before the first step, and warm-ups take it away") {
  SimulationSetup setup = plain();
  setup.replica.cold_start = 5 * kSecond;
  CHECK(watched(setup).requests[0].ttft() == 5 * kSecond + 11 * kMillisecond);
  setup.client.warmups = 1;
  setup.replica.rules.prefix_cache = false;
  CHECK(watched(setup).requests[0].ttft() == 11 * kMillisecond);
}

TEST_CASE("warm-ups count nowhere; the first prompt is then in the prefix cache") {
  SimulationSetup setup = plain();
  setup.client.requests = 30;
  setup.client.arrivals = ClosedLoop{4};
  setup.client.prompt = {100, 2000};
  setup.client.output = {1, 30};
  setup.replica.rules.prefix_cache = false;
  const Seen before = watched(setup);
  setup.client.warmups = 8;
  const Seen after = watched(setup);
  REQUIRE(after.requests.size() == before.requests.size());
  CHECK(after.result.all.ttft.curve(50) == before.result.all.ttft.curve(50));
  CHECK(after.result.all.itl.count() == before.result.all.itl.count());
  CHECK(after.result.duration == before.result.duration);
  CHECK(after.result.steps == before.result.steps);
  CHECK(after.result.busy == before.result.busy);
  CHECK(after.result.counts.computed_tokens == before.result.counts.computed_tokens);
  CHECK(after.result.in_flight == before.result.in_flight);
  setup.replica.rules.prefix_cache = true;
  const Seen kept = watched(setup);
  CHECK(kept.requests[0].cached == (kept.requests[0].prompt - 1) / 64 * 64);
  CHECK(kept.requests[1].cached == 0);
}

TEST_CASE("a client with a limit has no more out at once, and does not count its own queue") {
  SimulationSetup setup = plain();
  setup.client.requests = 200;
  setup.client.arrivals = OpenLoop{.rate = 1000, .most_in_flight = 3};
  const Seen seen = watched(setup);
  CHECK(seen.result.finished == 200);
  // how many are out when one is sent
  for (const RequestOutcome& one : seen.requests) {
    const auto out = std::count_if(seen.requests.begin(), seen.requests.end(), [&](const RequestOutcome& other) {
      return other.sent <= one.sent && other.last_token > one.sent;
    });
    CHECK(out <= 3);
  }
  // two prompts may share a step: at most a step before it and its own
  CHECK(seen.result.all.ttft.percentile(1.0) <= 0.030);
  CHECK(seen.result.saturated);  // the queue grows in the client
}

TEST_CASE("stretched gaps end when they should, and are the same gaps") {
  SimulationSetup setup = plain();
  setup.client.requests = 500;
  setup.client.arrivals = OpenLoop{.rate = 5, .stretched = true};
  const auto sent = [&] {
    std::vector<double> out;
    for (const RequestOutcome& one : watched(setup).requests) out.push_back(static_cast<double>(one.sent));
    return out;
  };
  const auto stretched = sent();
  CHECK(stretched.back() == doctest::Approx(100e9).epsilon(1e-9));  // 500 requests at 5 a second
  setup.client.arrivals = OpenLoop{.rate = 5};
  const auto plain_gaps = sent();
  CHECK(plain_gaps.back() != doctest::Approx(100e9).epsilon(1e-3));
  for (const std::size_t i : {0U, 100U, 250U})
    CHECK(stretched[i] / stretched.back() == doctest::Approx(plain_gaps[i] / plain_gaps.back()).epsilon(1e-6));
}

TEST_CASE("near saturation a tenth of capacity is worth several times the TTFT; far from it hardly anything") {
  SimulationSetup setup = plain();
  setup.client.output = {1, 1};
  setup.replica.rules.max_sequences = 1;  // a queue before one server: 11 ms each
  setup.client.requests = 20'000;
  setup.client.arrivals = OpenLoop{.rate = 0.3 / 0.011};
  CHECK_FALSE(ttft_range(setup, 2).is_several_fold());
  setup.client.arrivals = OpenLoop{.rate = 0.88 / 0.011};
  const TtftRange near = ttft_range(setup, 1);
  CHECK(near.is_several_fold());
  // M/D/1 by hand: at 0.88 / 1.1 = 0.8 a request takes 10 ms (1 + 0.8 / 0.4) = 30 ms
  CHECK(near.fast.mean == doctest::Approx(0.030).epsilon(0.05));
  CHECK(with_speed(setup, 2).replica.time({}) == 5 * kMillisecond);
}

}  // namespace ridge::simulate::deployment_test
