// Random engines under random clients: nobody waits for ever, nothing is lost, the KV cache holds what it can.

#include <doctest/doctest.h>

#include "repeats.hpp"
#include "simulate/simulation.hpp"

namespace ridge::simulate::simulation_property {

SimulationSetup drawn_setup(Random& random) {
  const auto one_of = [&](std::int64_t least, std::int64_t most) {
    return static_cast<std::int32_t>(random.whole(least, most));
  };
  SimulationSetup setup;
  SchedulerRules& rules = setup.replica.rules;
  rules.batching = static_cast<Batching>(one_of(0, 2));
  const bool seats = rules.batching == Batching::slots;
  rules.admission = seats ? Admission::whole : static_cast<Admission>(one_of(0, 2));
  rules.order = static_cast<QueueOrder>(one_of(0, 2));
  rules.token_budget = one_of(64, 2048);
  rules.prefill_budget = one_of(64, 4096);
  rules.max_sequences = one_of(1, 64);
  rules.chunked_prefill = one_of(0, 3) > 0;
  rules.composed_early = one_of(0, 1) == 1;
  rules.prefix_cache = one_of(0, 1) == 1;
  rules.block_tokens = 1 << one_of(0, 6);
  rules.poll_steps = one_of(1, 10);
  if (one_of(0, 3) == 0) {
    rules.balance_wait = one_of(0, 5);
    rules.balance_timeout = one_of(1, 20);
  }
  setup.replica.groups = one_of(1, 4);
  setup.replica.stages = one_of(0, 4) == 0 ? one_of(2, 4) : 1;
  setup.replica.limits.blocks = one_of(200, 8000) / rules.block_tokens + setup.replica.stages;
  setup.replica.limits.speculation = {one_of(0, 2) == 0 ? one_of(1, 4) : 0, 0.7};
  setup.replica.front = {.latency = one_of(0, 1'000'000), .each = one_of(0, 100'000), .token_picoseconds = 1000};
  setup.replica.time = [](std::span<const StepWork> ranks) {
    Nanoseconds time = 1'000'000;
    for (const StepWork& rank : ranks) time += rank.decodes * 1000 + rank.prompt_tokens * 2000 + rank.decode_context;
    return time;
  };
  setup.replica.cold_start = one_of(0, 3) == 0 ? one_of(1, 50'000'000) : 0;
  for (std::int32_t tiers = one_of(0, 2) == 0 ? one_of(1, 2) : 0; tiers > 0; --tiers) {
    setup.replica.limits.tiers.push_back({one_of(100, 20'000), one_of(0, 1'000'000), 10.0 * one_of(1, 300)});
    setup.replica.limits.recompute_time = 2000;
  }
  setup.replicas = one_of(1, 3);
  setup.routing = static_cast<Routing>(one_of(0, 3));
  if (one_of(0, 3) == 0 && !seats) setup.prefill = PrefillPoolSetup{setup.replica, one_of(1, 2), 1000, 50.0};
  ClientRules& client = setup.client;
  client.requests = one_of(1, 300);
  client.prompt = {one_of(1, 100), one_of(100, 600)};
  client.output = {one_of(1, 20), one_of(20, 300)};
  if (one_of(0, 2) == 0) {
    client.system_prompts = one_of(1, 4);
    client.system_tokens = one_of(1, 200);
    client.prompts_in_turn = one_of(0, 1) == 1;
  }
  if (one_of(0, 3) == 0) {
    for (std::int32_t i = 0; i < setup.replicas; ++i)
      setup.failures.outages.push_back({one_of(0, 300'000'000), i == 0 ? one_of(1, 100'000'000) : 0, i});
  }
  if (one_of(0, 5) == 0) {
    setup.failures.mean_time = one_of(10'000'000, 2'000'000'000);
    setup.failures.repair = one_of(0, 100'000'000);
  }
  const double rate = 1000 * random.share();
  switch (one_of(0, 3)) {
    case 0:
      client.arrivals = ClosedLoop{one_of(1, 64), one_of(0, 1) * 5'000'000};
      client.warmups = one_of(0, 2) == 0 ? one_of(1, 40) : 0;
      break;
    case 1:
      client.arrivals = OpenLoop{.rate = rate,
                                 .burstiness = 0.25 * one_of(0, 8),
                                 .ramp_from = one_of(0, 1) * rate / 4,
                                 .stretched = one_of(0, 1) == 1,
                                 .most_in_flight = one_of(0, 1) * one_of(1, 64)};
      client.warmups = one_of(0, 2) == 0 ? one_of(1, 40) : 0;
      break;
    case 2:
      client.arrivals = Sessions{.rate = rate, .turns = one_of(1, 5), .think = 3'000'000};
      break;
    default:
      client.arrivals = Sessions{.users = one_of(1, 16), .turns = one_of(1, 5)};
  }
  setup.seed = random.next();
  return setup;
}

struct Told {
  std::int64_t requests = 0, refused = 0, lost = 0, retries = 0, prompts = 0, outputs = 0, early = 0;
};

TEST_CASE("random configurations finish, lose no request and no token, and never exceed the KV cache") {
  const int all = repeats(10'000);
  for (int i = 0; i < all; ++i) {
    const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(i);
    CAPTURE(seed);
    Random random(seed);
    const SimulationSetup setup = drawn_setup(random);
    Told told;
    Onlookers look;
    look.finished = [&](const RequestOutcome& one) {
      ++told.requests;
      told.refused += one.refused ? 1 : 0;
      told.lost += one.lost ? 1 : 0;
      told.retries += one.retries;
      if (one.refused || one.lost) return;
      told.prompts += one.prompt;
      told.outputs += one.output;
      const bool in_order =
          one.sent <= one.admitted && one.admitted <= one.first_token && one.first_token <= one.last_token;
      told.early += in_order ? 0 : 1;
    };
    const SimulationResult result = simulate(setup, {}, look);
    REQUIRE(result.sent == setup.client.requests);
    REQUIRE(told.requests == result.sent);
    REQUIRE(result.finished + result.refused + result.lost == result.sent);
    REQUIRE(told.refused == result.refused);
    REQUIRE(told.lost == result.lost);
    REQUIRE(told.retries == result.retries);
    REQUIRE(result.counts.fetched_tokens <= result.counts.cached_tokens);
    if (setup.replica.limits.tiers.empty()) REQUIRE(result.counts.fetched_tokens == 0);
    if (!setup.failures.any()) REQUIRE(result.failures + result.retries + result.lost == 0);
    REQUIRE(told.early == 0);
    REQUIRE(told.outputs == result.output_tokens);
    REQUIRE(told.prompts == result.prompt_tokens);
    if (setup.replica.limits.speculation.tokens == 0 && result.retries == 0) {  // else tokens of a step come together
      REQUIRE(result.all.itl.count() == result.output_tokens - result.finished);
    }
    REQUIRE(result.most_cache <= 1.0);
    REQUIRE(result.timeline.back().running == 0);
    REQUIRE(result.timeline.back().waiting == 0);
    if (result.counts.preemptions == 0 && result.retries == 0 && !setup.prefill) {
      REQUIRE(result.counts.computed_tokens == result.prompt_tokens - result.counts.cached_tokens);
    }
  }
}

TEST_CASE("the same seed gives the same run, another seed another") {
  Random random(42);
  SimulationSetup setup = drawn_setup(random);
  setup.client.requests = 200;
  const auto e2e = [&] { return simulate(setup).all.e2e.curve(50); };
  const auto once = e2e();
  CHECK(e2e() == once);
  ++setup.seed;
  CHECK(e2e() != once);
}

}  // namespace ridge::simulate::simulation_property
