// What engines' rules do to a few requests, step by step.

#include <doctest/doctest.h>

#include "simulate/simulation.hpp"

namespace ridge::simulate::scheduler_test {

constexpr Nanoseconds kStep = 10 * 1'000'000;  // of any kind

/// Every step takes 10 ms, whatever is in it.
SimulationSetup even_steps() {
  SimulationSetup setup;
  setup.replica.rules.composed_early = false;
  setup.replica.rules.prefix_cache = false;
  setup.replica.limits.blocks = 1000;
  setup.replica.time = [](std::span<const StepWork>) { return kStep; };
  setup.client.prompt = {100, 100};
  setup.client.output = {5, 5};
  return setup;
}

struct Seen {
  std::vector<RequestOutcome> requests;
  std::vector<StepWork> steps;
  SimulationResult result;
};

Seen watched(const SimulationSetup& setup) {
  Seen seen;
  Onlookers look;
  look.finished = [&](const RequestOutcome& one) { seen.requests.push_back(one); };
  look.step = [&](std::int32_t, std::int32_t, Nanoseconds, Nanoseconds, std::span<const StepWork> ranks) {
    seen.steps.push_back(ranks[0]);
  };
  seen.result = simulate(setup, {}, look);
  return seen;
}

Trace trace_of(std::vector<TraceRequest> requests) {
  Trace trace;
  trace.requests = std::move(requests);
  return trace;
}

TEST_CASE("one request: a step for its prompt, then one for each token after the first") {
  SimulationSetup setup = even_steps();
  setup.client.requests = 1;
  const Seen seen = watched(setup);
  REQUIRE(seen.requests.size() == 1);
  CHECK(seen.requests[0].ttft() == kStep);
  CHECK(seen.requests[0].e2e() == 5 * kStep);
  CHECK(seen.requests[0].tpot() == doctest::Approx(kStep));
  CHECK(seen.steps.size() == 5);
  CHECK(seen.steps[0].prompt_pairs == 100 * 100);
  CHECK(seen.steps[1].decode_context == 100);
  CHECK(seen.steps[4].decode_context == 103);
  CHECK(seen.result.all.itl.count() == 4);
}

TEST_CASE("a server that was just started takes longer once: for its first step with a prompt") {
  SimulationSetup setup = even_steps();
  setup.client.arrivals = ClosedLoop{.users = 1};
  setup.client.requests = 3;
  setup.replica.fresh.time = 7 * kStep;
  const Seen seen = watched(setup);
  REQUIRE(seen.requests.size() == 3);
  CHECK(seen.requests[0].ttft() == 8 * kStep);
  CHECK(seen.requests[0].e2e() == 12 * kStep);  // four more tokens, at the usual pace
  CHECK(seen.requests[1].ttft() == kStep);
  CHECK(seen.requests[2].ttft() == kStep);
}

TEST_CASE("a server that was just started takes longer for every step with more tokens of prompts than any before") {
  // prompts of 100, 300, 200 and 400 tokens, a second apart; 1 ms for each token above the largest step before: 100 ms,
  // then 200, nothing, and 100
  const Trace trace = trace_of({{.sent = 0, .prompt = 100, .output = 1},
                                {.sent = kSecond, .prompt = 300, .output = 1},
                                {.sent = 2 * kSecond, .prompt = 200, .output = 1},
                                {.sent = 3 * kSecond, .prompt = 400, .output = 1}});
  SimulationSetup setup = even_steps();
  setup.client.arrivals = Replay{&trace};
  setup.replica.fresh.token_picoseconds = 1'000'000'000;
  const Seen seen = watched(setup);
  REQUIRE(seen.requests.size() == 4);
  const Nanoseconds late[] = {100, 200, 0, 100};
  for (std::size_t i = 0; i < 4; ++i) CHECK(seen.requests[i].ttft() == kStep + late[i] * 1'000'000);
}

TEST_CASE("a request that comes during a step joins the next; composed early, the one after") {
  const Trace trace =
      trace_of({{.sent = 0, .prompt = 100, .output = 50}, {.sent = 25 * 1'000'000, .prompt = 100, .output = 2}});
  SimulationSetup setup = even_steps();
  setup.client.arrivals = Replay{&trace};
  // sent at 25 ms, in the third step: its own runs from 30 to 40 ms
  CHECK(watched(setup).requests[0].ttft() == 15 * 1'000'000);
  setup.replica.rules.composed_early = true;
  // the fourth step was put together at 20 ms: its own runs from 40 to 50 ms
  CHECK(watched(setup).requests[0].ttft() == 25 * 1'000'000);
}

TEST_CASE("a prompt above the budget goes through in pieces beside the decodes, and whole where nobody may cut it") {
  const Trace trace = trace_of({{.sent = 0, .prompt = 10, .output = 20}, {.sent = 1, .prompt = 250, .output = 2}});
  SimulationSetup setup = even_steps();
  setup.client.arrivals = Replay{&trace};
  setup.replica.rules.token_budget = 100;
  const Seen cut = watched(setup);
  // by hand: 99 tokens beside one decode, 99 more, then 52
  CHECK(cut.steps[1].prompt_tokens == 99);
  CHECK(cut.steps[2].prompt_tokens == 99);
  CHECK(cut.steps[3].prompt_tokens == 52);
  CHECK(cut.steps[3].prompt_pairs == 52 * (2 * 198 + 52));
  setup.replica.rules.chunked_prefill = false;
  CHECK(watched(setup).result.refused == 1);  // it would wait for ever
  setup.replica.rules.token_budget = 250;
  setup.replica.rules.admission = Admission::whole;  // it is never computed again with what was generated
  const Seen whole = watched(setup);
  CHECK(whole.result.refused == 0);
  CHECK(whole.steps[1].prompt_tokens == 0);  // 250 do not fit beside a decode
  CHECK(whole.requests.back().prompt == 250);
}

TEST_CASE("prefill first: running requests wait while prompts are computed") {
  const Trace trace =
      trace_of({{.sent = 0, .prompt = 100, .output = 10}, {.sent = 15 * 1'000'000, .prompt = 250, .output = 2}});
  SimulationSetup setup = even_steps();
  setup.client.arrivals = Replay{&trace};
  setup.replica.rules.batching = Batching::prefill_first;
  setup.replica.rules.token_budget = 100;
  const Seen seen = watched(setup);
  // prompt, decode, then three pieces of the other prompt alone, then both decode
  CHECK(seen.steps[1].decodes == 1);
  for (int i = 2; i < 5; ++i) CHECK(seen.steps[static_cast<std::size_t>(i)].decodes == 0);
  CHECK(seen.steps[4].prompt_tokens == 50);
  CHECK(seen.steps[5].decodes == 2);
  // the first one's third token came after four steps
  CHECK(seen.result.all.itl.spread().most == doctest::Approx(0.04));
}

TEST_CASE("an engine that looks for requests every eighth decode step leaves them lying") {
  const Trace trace =
      trace_of({{.sent = 0, .prompt = 100, .output = 50}, {.sent = 25 * 1'000'000, .prompt = 100, .output = 2}});
  SimulationSetup setup = even_steps();
  setup.client.arrivals = Replay{&trace};
  setup.replica.rules.batching = Batching::prefill_first;
  setup.replica.rules.poll_steps = 8;
  // looks at 0 and 10 ms (after the prompt), then after eight decodes, at 90 ms
  CHECK(watched(setup).requests[0].ttft() == (90 + 10 - 25) * 1'000'000);
}

TEST_CASE("when blocks run out the newest gives up and starts again; with room kept for all nobody does") {
  const Trace trace = trace_of({{.sent = 0, .prompt = 64, .output = 60}, {.sent = 1, .prompt = 64, .output = 60}});
  SimulationSetup setup = even_steps();
  setup.client.arrivals = Replay{&trace};
  setup.replica.limits.blocks = 12;  // of 16: one request needs 8 at its end, both together 16
  const Seen preempting = watched(setup);
  CHECK(preempting.result.counts.preemptions == 1);
  CHECK(preempting.result.finished == 2);
  CHECK(preempting.result.output_tokens == 120);
  CHECK(preempting.result.all.itl.count() == 118);  // every token but two firsts, the one after the break too
  CHECK(preempting.requests[0].number == 0);
  CHECK(preempting.requests[1].preemptions == 1);
  setup.replica.rules.admission = Admission::whole;
  const Seen waiting = watched(setup);
  CHECK(waiting.result.counts.preemptions == 0);
  CHECK(waiting.requests[1].queued() > 50 * kStep);
}

TEST_CASE("a request that decodes takes another block whenever its context has filled one") {
  for (const std::int32_t prompt : {15, 16, 17, 20, 31, 32, 100}) {
    CAPTURE(prompt);
    SimulationSetup setup = even_steps();
    setup.client.requests = 1;
    setup.client.prompt = {prompt, prompt};
    setup.client.output = {60, 60};
    // in its k-th decode step prompt + k tokens lie in blocks of 16; what the first step holds is seen when it has ended
    double blocks = 0;
    for (std::int32_t k = 1; k < 60; ++k) blocks += (prompt + k + 15) / 16;
    CHECK(watched(setup).result.mean_cache == doctest::Approx(blocks / 60 / 1000));
    CHECK(watched(setup).result.most_cache == doctest::Approx((prompt + 59 + 15) / 16 / 1000.0));
  }
}

/// SGLang's, but that nothing is expected of those that run.
SimulationSetup estimating() {
  SimulationSetup setup = even_steps();
  setup.replica.rules.batching = Batching::prefill_first;
  setup.replica.rules.admission = Admission::estimated_output;
  setup.replica.rules.output_estimate = {.first = 0, .last = 0, .steps = 1, .clip = 4096, .ahead = 20};
  setup.replica.rules.block_tokens = 1;
  setup.client.chunk_tokens = 0;
  return setup;
}

TEST_CASE(
    "an engine that estimates outputs retracts the shortest, of those alike the longest prompt, to the queue's end") {
  const Trace trace = trace_of({{.sent = 0, .prompt = 12, .output = 40},
                                {.sent = 1, .prompt = 8, .output = 40},
                                {.sent = 2, .prompt = 10, .output = 40}});
  SimulationSetup setup = estimating();
  setup.client.arrivals = Replay{&trace};
  setup.replica.limits.blocks = 70;
  const Seen seen = watched(setup);
  // The first is prefilled in step 1, the second in step 2: 50 tokens stay free, more than its 40. The third would leave
  // 40, and the second's 40 and its own are wanted. 25 steps of both fill the cache; both have 26 tokens, so the first,
  // whose prompt is longer, goes behind the third. The second goes on alone and ends with step 2 + 39. The third runs in
  // steps 42 to 81, since of 70 tokens it takes 10, the first 12 + 26, and 40 + 14 are wanted. Then the first is prefilled
  // again, which gives its token 27, and has 13 more: step 82 + 13.
  REQUIRE(seen.requests.size() == 3);
  CHECK(seen.result.counts.preemptions == 1);
  CHECK(seen.requests[0].number == 1);
  CHECK(seen.requests[0].last_token == 41 * kStep);
  CHECK(seen.requests[1].number == 2);
  CHECK(seen.requests[1].first_token == 42 * kStep);
  CHECK(seen.requests[1].last_token == 81 * kStep);
  CHECK(seen.requests[2].preemptions == 1);
  CHECK(seen.requests[2].last_token == 95 * kStep);
}

TEST_CASE("an engine that estimates outputs lets nobody in before a step of decodes after one has ended") {
  const Trace trace = trace_of({{.sent = 0, .prompt = 10, .output = 5},
                                {.sent = 1, .prompt = 10, .output = 50},
                                {.sent = 2, .prompt = 10, .output = 2}});
  SimulationSetup setup = estimating();
  setup.client.arrivals = Replay{&trace};
  setup.replica.rules.max_sequences = 2;
  // two prompts, four decodes: the first ends at 60 ms. One more step of the second, then the third's prompt.
  CHECK(watched(setup).requests[1].first_token == 80 * 1'000'000);
  setup.replica.rules.admission = Admission::prompt;
  CHECK(watched(setup).requests[1].first_token == 70 * 1'000'000);
}

TEST_CASE("ranks in lock step take turns, and one step serves all") {
  SimulationSetup setup = even_steps();
  setup.replica.groups = 4;
  setup.client.arrivals = ClosedLoop{.users = 8};
  setup.client.requests = 8;
  std::int64_t most = 0;
  setup.replica.time = [&](std::span<const StepWork> ranks) {
    for (const StepWork& rank : ranks) most = std::max(most, rank.decodes);
    return kStep;
  };
  const Seen seen = watched(setup);
  CHECK(most == 2);
  CHECK(seen.result.steps == 5);
}

TEST_CASE("a pipeline runs as many micro-batches as it has stages") {
  SimulationSetup setup = even_steps();
  setup.replica.stages = 2;
  setup.client.arrivals = ClosedLoop{.users = 2};
  setup.client.requests = 2;
  const Seen seen = watched(setup);
  // each stage takes 5 ms; the second micro-batch starts when the first has left the first stage
  CHECK(seen.requests[0].e2e() == 5 * kStep);
  CHECK(seen.requests[1].e2e() == 5 * kStep + kStep / 2);
}

TEST_CASE("speculative tokens end a request in fewer steps and lose no token") {
  SimulationSetup setup = even_steps();
  setup.client.output = {1001, 1001};
  setup.client.requests = 20;
  setup.replica.limits.speculation = {3, 0.8};
  const Seen seen = watched(setup);
  CHECK(seen.result.output_tokens == 20 * 1001);
  // by hand: 1 + 0.8 + 0.64 + 0.512 = 2.952 tokens a step
  const double steps = seen.result.all.e2e.spread().mean / 10e-3;
  CHECK(1001 / steps == doctest::Approx(2.952).epsilon(0.03));
}

TEST_CASE("the same beginning is computed once") {
  SimulationSetup setup = even_steps();
  setup.replica.rules.prefix_cache = true;
  setup.client.prompt = {200, 200};
  setup.client.system_prompts = 1;
  setup.client.system_tokens = 128;
  setup.client.requests = 10;
  const Seen seen = watched(setup);
  CHECK(seen.result.counts.cached_tokens == 9 * 128);
  CHECK(seen.steps[0].prompt_tokens == 200);
  CHECK(seen.steps[5].prompt_tokens == 72);
}

TEST_CASE("a conversation finds what was said before") {
  SimulationSetup setup = even_steps();
  setup.replica.rules.prefix_cache = true;
  setup.client.arrivals = Sessions{.users = 1, .turns = 3};
  setup.client.prompt = {64, 64};
  setup.client.output = {64, 64};
  setup.client.requests = 3;
  const Seen seen = watched(setup);
  // prompts of 64, 192 and 320 tokens; of what was said before, the last token's KV is missing, and with it its chunk
  CHECK(seen.requests[1].cached == 64);
  CHECK(seen.requests[2].cached == 192);
}

TEST_CASE("numbered seats: prompts in their order up to the batch, and neighbors decode together") {
  SimulationSetup setup = even_steps();
  setup.client.arrivals = ClosedLoop{.users = 16};
  setup.client.requests = 16;
  setup.client.output = {50, 50};
  setup.replica.rules.batching = Batching::slots;
  setup.replica.rules.admission = Admission::whole;
  setup.replica.rules.max_sequences = 16;
  setup.replica.rules.token_budget = 250;
  const Seen full = watched(setup);
  CHECK(full.steps[0].prompts == 3);
  CHECK(full.steps[0].prompt_tokens == 250);
  // the third goes on: 50 of it, 100 and 98 of the next two, beside two decodes
  CHECK(full.steps[1].decodes == 2);
  CHECK(full.steps[1].prompt_tokens == 248);
  CHECK(full.steps[20].decodes == 16);
  CHECK(full.steps[20].decode_batches == 1);
  // 16 of 64 seats, left in any order: 16 x (1 - 15/63), so about 12 rows of neighbors
  setup.replica.rules.max_sequences = 64;
  const Seen scattered = watched(setup);
  CHECK(scattered.steps[20].decodes == 16);
  CHECK(scattered.steps[20].decode_batches >= 9);
  CHECK(scattered.steps[20].decode_batches <= 15);
}

TEST_CASE("two pools: prompts in one, their KV cache over a link one after the other, tokens in the other") {
  SimulationSetup setup = even_steps();
  setup.client.arrivals = ClosedLoop{.users = 2};
  setup.client.requests = 2;
  setup.prefill = PrefillPoolSetup{setup.replica, 1, 1'000'000, 20'000.0};
  const Seen seen = watched(setup);
  // both prompts in one step of 10 ms; 2 ms each over the link, and 1 ms later there
  CHECK(seen.requests[0].ttft() == (10 + 2 + 1 + 10) * 1'000'000);
  // the second arrives at 15 ms, in the middle of a step that ends at 23
  CHECK(seen.requests[1].ttft() == (23 + 10) * 1'000'000);
  CHECK(seen.requests[0].e2e() == seen.requests[0].ttft() + 3 * kStep);  // its second token came with the first
  CHECK(seen.result.counts.computed_tokens == 200);
}

TEST_CASE("the front end takes requests one at a time") {
  SimulationSetup setup = even_steps();
  setup.replica.front = {.latency = 1'000'000, .each = 2'000'000, .token_picoseconds = 10'000'000};
  setup.client.arrivals = ClosedLoop{.users = 2};
  setup.client.requests = 2;
  const Seen seen = watched(setup);
  // 2 ms and 100 x 10 us each: through after 3 and 6 ms, and 1 ms later there
  CHECK(seen.requests[0].ttft() == 4 * 1'000'000 + kStep);
  CHECK(seen.requests[1].ttft() == 4 * 1'000'000 + 2 * kStep);
}

}  // namespace ridge::simulate::scheduler_test
