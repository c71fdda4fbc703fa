// Do the schedules run as their authors draw them? Small pipelines, worked out by hand.

#include "train/schedule/schedule.hpp"

#include <string>

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "train/schedule/closed_form.hpp"

namespace ridge::train::schedule_test {

using enum ScheduleKind;

/// "F0.0 F1.0&B0.1 W0.1": operation, micro-batch, chunk or direction; as the published orders are written.
std::string order_text(const PipelineShape& shape, int rank) {
  const auto order = order_of(shape);
  REQUIRE(order.has_value());
  std::string text;
  bool together = false;
  for (const auto& operation : order->of(rank)) {
    const int of_direction = shape.kind == dualpipe && operation.chunk == 1 ? shape.microbatches / 2 : 0;
    if (!text.empty()) text += together ? '&' : ' ';
    text += "FIWB"[static_cast<std::size_t>(operation.work)];
    text += std::to_string(operation.microbatch - of_direction) + "." + std::to_string(operation.chunk);
    together = operation.paired && operation.work == Work::forward;
  }
  return text;
}

Schedule run(const ScheduleQuestion& question) {
  const auto answer = schedule(question);
  REQUIRE(answer.has_value());
  return *answer;
}

TEST_CASE("the order of a rank is the published one") {
  // The last two are of deepseek-ai/DualPipe; ZB-V's of PyTorch's ScheduleZBVZeroBubble; 1F1B, interleaved: Narayanan 2021.
  CHECK(order_text({gpipe, 2, 3, 1}, 1) == "F0.0 F1.0 F2.0 B0.0 B1.0 B2.0");
  CHECK(order_text({one_f_one_b, 4, 5, 1}, 1) == "F0.0 F1.0 F2.0 B0.0 F3.0 B1.0 F4.0 B2.0 B3.0 B4.0");
  CHECK(order_text({interleaved, 2, 4, 2}, 0) ==
        "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
  CHECK(order_text({zb_h1, 4, 8, 1}, 2) ==
        "F0.0 F1.0 I0.0 F2.0 I1.0 F3.0 I2.0 W0.0 F4.0 I3.0 W1.0 F5.0 I4.0 W2.0 F6.0 I5.0 W3.0 F7.0 I6.0 W4.0 I7.0 "
        "W5.0 W6.0 W7.0");
  CHECK(order_text({zb_h2, 4, 8, 1}, 1) ==
        "F0.0 F1.0 F2.0 F3.0 F4.0 I0.0 F5.0 I1.0 F6.0 I2.0 W0.0 F7.0 I3.0 W1.0 I4.0 W2.0 I5.0 W3.0 I6.0 W4.0 I7.0 "
        "W5.0 W6.0 W7.0");
  CHECK(order_text({zb_v, 4, 8, 2}, 3) ==
        "F0.0 F0.1 F1.0 F1.1 F2.0 F2.1 F3.0 F3.1 I0.1 W0.1 F4.0 I0.0 W0.0 F4.1 I1.1 W1.1 F5.0 I1.0 W1.0 F5.1 I2.1 "
        "W2.1 F6.0 I2.0 W2.0 F6.1 I3.1 W3.1 F7.0 I3.0 W3.0 F7.1 I4.1 W4.1 I4.0 I5.1 I5.0 I6.1 I6.0 I7.1 I7.0 W4.0 W5.1 "
        "W6.1 W7.1 W5.0 W6.0 W7.0");
  CHECK(order_text({dualpipe, 4, 8, 2}, 1) ==
        "F0.0 F0.1 F1.0 F1.1 F2.0 B0.1 F2.1&B0.0 F3.0&B1.1 F3.1&B1.0 B2.1 B2.0 I3.1 I3.0 W3.1 W3.0");
  CHECK(order_text({dualpipe, 4, 8, 2}, 3) ==
        "F0.1 F1.1 F2.1 F0.0 I0.0 W0.0 F1.0 F3.1&B1.0 F2.0&B0.1 B2.0 F3.0&B1.1 B3.0 I2.1 W2.1 I3.1 W3.1");
  CHECK(order_text({dualpipev, 4, 10, 2}, 2) ==
        "F0.0 F1.0 F2.0 F0.1 F3.0 F1.1 F4.0 F2.1 I0.1 W0.1 F3.1 F5.0&B1.1 F4.1&B0.0 F6.0&B2.1 F5.1&B1.0 F7.0&B3.1 "
        "F6.1&B2.0 F8.0&B4.1 F7.1&B3.0 F9.0&B5.1 F8.1&B4.0 B6.1 F9.1&B5.0 B7.1 B6.0 B8.1 I7.0 I9.1 I8.0 W7.0 I9.0 W9.1 "
        "W8.0 W9.0");
}

TEST_CASE("an even pipeline waits for as many short hops as the formula says") {
  constexpr Nanoseconds kHop = 7, kPass = 10'000;
  const auto waited = [&](const PipelineShape& shape) {
    const auto makespan = [&](Nanoseconds hop) {
      ScheduleQuestion question{shape, {{{kPass, 2 * kPass, kPass}}}};
      question.times.hop = hop;
      return run(question).figures.makespan;
    };
    return static_cast<double>(makespan(kHop) - makespan(0)) / kHop;
  };
  // by hand: two ranks, two micro-batches, one hop there and one back; the second finds its message there
  CHECK(waited_hops({one_f_one_b, 2, 2, 1}) == 2);
  for (int p = 1; p <= 6; ++p) {
    for (int m = 1; m <= 15; ++m) {
      CAPTURE(p);
      CAPTURE(m);
      CHECK(waited_hops({one_f_one_b, p, m, 1}) == waited({one_f_one_b, p, m, 1}));
      for (int v = 2; v <= 4 && p > 1; ++v) {
        if (m % p == 0) CHECK(waited_hops({interleaved, p, m, v}) == waited({interleaved, p, m, v}));
      }
    }
  }
}

TEST_CASE("behind a slow last stage hops hide: the rounds of 1F1B are the simulation's") {
  const auto waited = [](const std::vector<Nanoseconds>& slower, int m, Nanoseconds hop) {
    ScheduleQuestion question{{one_f_one_b, static_cast<int>(slower.size()), m, 1}, {{}}};
    question.times.stages.clear();
    std::vector<Seconds<double>> passes;
    for (const Nanoseconds by : slower) {
      question.times.stages.push_back({1'000 + by, 2'000 + 2 * by, 0});
      passes.emplace_back(static_cast<double>(3'000 + 3 * by));
    }
    question.times.hop = hop;
    double all = 0, slowest = 0;
    for (const Seconds<double>& pass : passes) {
      all += pass.value();
      slowest = std::max(slowest, pass.value());
    }
    const double simulated = static_cast<double>(run(question).figures.makespan) - all - (m - 1) * slowest;
    const double formula =
        hops_of_rounds<double>(passes, Seconds<double>(static_cast<double>(hop)), static_cast<double>(m)).value();
    CHECK(formula == doctest::Approx(simulated).epsilon(1e-9));
    return formula;
  };
  // by hand: three stages and seven micro-batches wait for 2 * 2 hops there and back; even ones then for two rounds of all
  // three, two stages' way there and back each: 8 more. A last stage that takes 300 longer, and no round of more stages comes near
  // that, sets the pace alone
  CHECK(waited({0, 0, 0}, 7, 50) == doctest::Approx(12 * 50));
  CHECK(waited({0, 0, 100}, 7, 50) == doctest::Approx(4 * 50));
  for (const int stages : {2, 3, 5, 8}) {
    for (const Nanoseconds by : {0, 3, 11, 40, 200}) {
      for (const int m : {1, 2, 4, 9, 30}) {
        CAPTURE(stages);
        CAPTURE(by);
        CAPTURE(m);
        std::vector<Nanoseconds> slower(static_cast<std::size_t>(stages), 0);
        slower.back() = by;
        waited(slower, m, 17);
      }
    }
  }
}

TEST_CASE("a rank that sends nothing beside its work pays for every chunk's messages") {
  // by hand: 4 stages of 100, 8 micro-batches, hops of 1. One chunk: 2 * 3 hops there and back, and 7 further
  // micro-batches of 2 messages. Three chunks: 8 - 1/3 micro-batches of 6
  const std::vector<Seconds<double>> even(4, Seconds<double>(100.0));
  const Seconds<double> hop(1.0);
  const Ratio<double> once(1.0), twice(2.0);
  CHECK(blocking_hops<double>(even, hop, 8, 1, once).value() == doctest::Approx(6 + 7 * 2));
  CHECK(blocking_hops<double>(even, hop, 8, 3, once).value() == doctest::Approx(6 + (8 - 1.0 / 3) * 6));
  // what is sent and what is got one after the other
  CHECK(blocking_hops<double>(even, hop, 8, 1, twice).value() == doctest::Approx(6 + 7 * 4));
  // a last stage slower by more than a message hides one of the others': its result goes nowhere
  std::vector<Seconds<double>> slow = even;
  slow.back() = Seconds<double>(105.0);
  CHECK(blocking_hops<double>(slow, hop, 8, 1, once).value() == doctest::Approx(6 + 7 * 1));
}

TEST_CASE("1F1B of two ranks and two micro-batches, by hand") {
  // F 1, I 1, W 1, so B 2.  rank 0: F0 0-1, F1 1-2,          B0 4-6,          B1 7-9
  //                         rank 1:         F0 1-2, B0 2-4,  F1 4-5, B1 5-7
  const Schedule answer = run({{one_f_one_b, 2, 2, 1}, {{{1, 1, 1}}}});
  const auto first = answer.events_of(0), second = answer.events_of(1);
  REQUIRE(first.size() == 4);
  CHECK(first[2].start == 4);
  CHECK(first[2].end == 6);
  CHECK(first[3].end == 9);
  CHECK(second[0].start == 1);
  CHECK(second[3].end == 7);
  CHECK(answer.figures.makespan == 9);
  CHECK(answer.figures.bubble_in_own_span() == 3);  // rank 0: 9 - 6; rank 1: 6 - 6 = 0
  CHECK(answer.figures.ranks[1].own_bubble() == 0);
  CHECK(answer.figures.bubble_of_makespan() == 3);
  CHECK(answer.figures.idle_share() == doctest::Approx(6.0 / 18));
  CHECK(answer.figures.own_idle_share() == doctest::Approx(3.0 / 15));
  // live on rank 0: one from 0, two from 1, one from 6, none from 9
  const auto live = live_over_time(answer, 0);
  REQUIRE(live.size() == 4);
  CHECK((live[1].at == 1 && live[1].chunks == 2));
  CHECK((live[2].at == 6 && live[2].chunks == 1));
  CHECK((live[3].at == 9 && live[3].chunks == 0));
}

TEST_CASE("ZB-H2 is idle in no rank's own span and still loses a forward of the makespan") {
  // rank 0: F0 F1 F2 I0 W0 I1 W1 I2 W2 = 0-9; rank 1 from 1: F0 I0 F1 I1 F2 I2 W0 W1 W2 = 1-10
  const ScheduleFigures figures = run({{zb_h2, 2, 3, 1}, {{{1, 1, 1}}}}).figures;
  CHECK(figures.makespan == 10);
  CHECK(figures.bubble_in_own_span() == 0);
  CHECK(figures.bubble_of_makespan() == 1);
  CHECK(figures.peak_live_microbatches() == 3);
}

TEST_CASE("hops delay a neighbor and keep no rank busy") {
  // GPipe, F 1, B 2, hop 10. rank 0: F 0-1, 1-2; rank 1: F 11-12, 12-13, B 13-15, 15-17; rank 0: B 25-27, 27-29.
  const ScheduleFigures figures = run({{gpipe, 2, 2, 1}, {{{1, 1, 1}}, 10}}).figures;
  CHECK(figures.makespan == 29);
  CHECK(figures.ranks[0].busy == 6);
  CHECK(figures.bubble_of_makespan() == 23);  // (p-1)(F + B + 2h)
  // the turn of a V is on one rank: F0 0-1, F1 1-2, then the gradients of stage 1 and 0, 2 each: no hop anywhere
  CHECK(run({{zb_v, 1, 1, 2}, {{{1, 1, 1}}, 10}}).figures.makespan == 6);
}

TEST_CASE("a slow stage holds up the others, stage by stage") {
  // GPipe over two ranks, F 1 and 3, B 2 and 4, two micro-batches. rank 1: F 1-4, 4-7, B 7-11, 11-15; rank 0: B 11-13, 15-17.
  const ScheduleFigures figures = run({{gpipe, 2, 2, 1}, {{{1, 1, 1}, {3, 2, 2}}}}).figures;
  CHECK(figures.makespan == 17);
  CHECK(figures.ranks[0].busy == 6);
  CHECK(figures.ranks[1].busy == 14);
  CHECK(figures.bubble_of_makespan() == 3);  // of the busiest rank
  // One micro-batch in two of twice the time: rank 1: F 2-4 (slow: +100 %) ...
  ScheduleQuestion jittered{{gpipe, 2, 2, 1}, {{{1, 1, 1}}}};
  jittered.times.jitter_millionths = {1'000'000, 0};
  // rank 0: F 0-2, 2-3; rank 1: F 2-4, 4-5, B 5-9, 9-11; rank 0: B 9-13, 13-15
  CHECK(run(jittered).figures.makespan == 15);
  jittered.times.jitter_millionths = {0, 1'000'000, 0, 0};  // micro-batch 0 on stage 1 alone
  // rank 0: F 0-1, 1-2; rank 1: F 1-3, 3-4, B 4-8, 8-10; rank 0: B 8-10, 10-12
  CHECK(run(jittered).figures.makespan == 12);
}

TEST_CASE("decoding through a pipeline: few micro-batches leave stages idle, many leave none") {
  // 4 stages of 1, one micro-batch, 3 tokens: a token each 4, all alone: 12, and 12 of 3 x 1 in each rank idle.
  CHECK(run({{inference, 4, 1, 1}, {{{1, 0, 0}}}, 3}).figures.makespan == 12);
  // 4 micro-batches: a round takes 4, the last one ends 3 later: 3 x 4 + 3 = 15, each rank busy for 12 of its own 12
  const ScheduleFigures full = run({{inference, 4, 4, 1}, {{{1, 0, 0}}}, 3}).figures;
  CHECK(full.makespan == 15);
  CHECK(full.bubble_in_own_span() == 0);
  CHECK(full.ranks[3].peak_live == 4);  // every micro-batch keeps its KV cache on every stage
  // a hop of 2 makes the round 12, back from the last stage included: 2 x 12 + (4 + 3 x 2) + 3 = 37
  CHECK(run({{inference, 4, 4, 1}, {{{1, 0, 0}}, 2}, 3}).figures.makespan == 37);
}

TEST_CASE("a forward and a backward that overlap take what they are given") {
  // From the published orders: 4 ranks, 8 micro-batches, F 1.00, I 1.20, W 0.80 in units of a millisecond.
  ScheduleQuestion question{{dualpipe, 4, 8, 2}, {{{1'000'000, 1'200'000, 800'000}}}};
  CHECK(run(question).figures.makespan == 26'400'000);
  question.times.pair_millionths = 850'000;  // F&B 2.55 in place of 3
  const Schedule answer = run(question);
  CHECK(answer.figures.makespan == 24'600'000);
  CHECK(answer.figures.bubble_of_makespan() == 1'950'000);  // 24.6 - (24 - 3 pairs x 0.45)
  CHECK(answer.figures.ranks[0].peak_live == 5);            // P + 1
  int pairs = 0;
  for (const Event& event : answer.events_of(0)) pairs += event.paired && event.work == Work::forward;
  CHECK(pairs == 3);
}

TEST_CASE("a pair hides its messages behind its kernels, and never takes longer than one pass after the other") {
  // by hand: of 10 ms 4 are messages that show, 8 on their way: (6^4 + 8^4)^(1/4) = 5392^(1/4) = 8.569
  CHECK(static_cast<double>(pair_time(10'000'000, {4'000'000, 8'000'000})) == doctest::Approx(8.569e6).epsilon(1e-3));
  CHECK(pair_time(10, {0, 0}) == 10);
  CHECK(pair_time(10, {10, 10}) == 10);  // messages alone hide behind nothing
  CHECK(pair_time(10, {1, 40}) == 10);   // 40 on their way are not what showed: alone the passes take 10
  // two ranks, four micro-batches, F = I = W = 1,000 of which 400 of F and of I show and are on their way: rank 0 runs
  // pairs of 2,200 + messages of 800, 2,209.55 together, so 2,210, and all else in its own time
  ScheduleQuestion question{{dualpipe, 2, 4, 2}, {{{1000, 1000, 1000, {400, 400}, {400, 400}}}}};
  const Schedule paired = run(question);
  int pairs = 0;
  for (const Event& event : paired.events_of(0)) {
    if (event.paired && event.work == Work::forward) {
      ++pairs;
      CHECK(event.end - event.start == 2210);
    }
  }
  CHECK(pairs > 0);
  question.times.stages = {{1000, 1000, 1000}};
  CHECK(run(question).figures.ranks[0].busy - paired.figures.ranks[0].busy == pairs * (3000 - 2210));
  // a schedule without pairs shows all of it
  question.shape = {one_f_one_b, 2, 4, 1};
  const Nanoseconds alone = run(question).figures.makespan;
  question.times.stages = {{1000, 1000, 1000, {400, 400}, {400, 400}}};
  CHECK(run(question).figures.makespan == alone);
}

TEST_CASE("what a rank holds is weighed chunk by chunk") {
  // Interleaved, 2 ranks, 4 micro-batches, rank 0: F0.0 F1.0 F0.1 F1.1 F2.0 | B0.1 ... : 3 of chunk 0 and 2 of chunk 1
  const auto order = order_of({interleaved, 2, 4, 2});
  REQUIRE(order.has_value());
  const double alike[] = {1, 1}, heavy[] = {10, 1};
  CHECK(peak_live_weight(*order, 0, alike) == 5);
  // then B0.1 F3.0: 4 of chunk 0 and 1 of chunk 1 = 41, B1.1 F2.1: 4 and 1, and so on
  CHECK(peak_live_weight(*order, 0, heavy) == 41);
}

TEST_CASE("more exchange than its pass is refused") {
  CHECK(!schedule({{one_f_one_b, 2, 4, 1}, {{{10, 10, 10, {11, 11}}}}}).has_value());
  CHECK(!schedule({{one_f_one_b, 2, 4, 1}, {{{10, 10, 10, {}, {11, 11}}}}}).has_value());
  CHECK(schedule({{one_f_one_b, 2, 4, 1}, {{{10, 10, 10, {10, 90}, {10, 90}}}}}).has_value());
}

TEST_CASE("messages that are on their way for longer than sums can hold are refused") {
  constexpr Nanoseconds kCenturies = 4'000'000'000'000'000'000;
  CHECK(!schedule({{dualpipe, 2, 4, 2}, {{{10, 10, 10, {1, kCenturies}}}}}).has_value());
  CHECK(!schedule({{dualpipe, 2, 4, 2}, {{{10, 10, 10, {}, {1, kCenturies}}}}}).has_value());
}

TEST_CASE("what a schedule cannot take is refused with the nearest it can") {
  const auto first = [](const PipelineShape& shape) {
    const Errors errors = check(shape);
    REQUIRE(!errors.empty());
    return errors.front();
  };
  const auto holds = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  const Error no_multiple = first({interleaved, 8, 30, 2});
  CHECK(no_multiple.where == "microbatches");
  CHECK(holds(no_multiple.hint, "24"));
  CHECK(holds(no_multiple.hint, "32"));
  CHECK(!holds(first({interleaved, 8, 3, 2}).hint, "0 and"));  // never none at all
  const Error odd = first({dualpipe, 7, 64, 2});
  CHECK(odd.where == "stages");
  CHECK(holds(odd.hint, "6"));
  CHECK(holds(odd.hint, "8"));
  CHECK(holds(first({dualpipe, 8, 10, 2}).hint, "16"));
  CHECK(holds(first({dualpipe, 8, 17, 2}).hint, "18"));
  CHECK(holds(first({dualpipev, 4, 7, 2}).hint, "8"));
  CHECK(first({one_f_one_b, 0, 4, 1}).where == "stages");
  CHECK(first({one_f_one_b, 4, 0, 1}).where == "microbatches");
  CHECK(first({one_f_one_b, 4, 4, 2}).where == "chunks");
  CHECK(first({interleaved, 4, 4, 1}).where == "chunks");
  CHECK(first({gpipe, 4096, 1'000'000, 1}).where == "microbatches");
  CHECK(!schedule({{gpipe, 2, 2, 1}, {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}}).has_value());
  CHECK(!schedule({{gpipe, 2, 2, 1}, {{{-1, 1, 1}}}}).has_value());
  CHECK(!schedule({{gpipe, 2, 2, 1}, {{{1, 1, 1}}}, 2}).has_value());
  constexpr Nanoseconds kHuge = 4'000'000'000'000'000'000;
  CHECK(!schedule({{gpipe, 2, 2, 1}, {{{kHuge, kHuge, kHuge}}}}).has_value());
  CHECK(!schedule({{gpipe, 2, 2, 1}, {{{1, 1, 1}}, kHuge}}).has_value());
}

TEST_CASE("every word for a schedule finds it") {
  for (const ScheduleKind kind : kScheduleKinds) {
    CHECK(schedule_kind(word_of(kind)) == kind);
    CHECK(schedule_kind(name_of(kind)) == kind);
  }
  CHECK(schedule_kind("ZBV") == zb_v);
  CHECK(schedule_kind("zb_h1") == zb_h1);
  CHECK(!schedule_kind("2f2b").has_value());
}

TEST_CASE("closed forms are read by every scalar") {
  const PipelineShape shape{zb_h2, 8, 32, 1};
  // (p-1)(F+I-2W) = 7 (1 + 1.2 - 1.6) = 4.2; of the makespan 7 max(1, 0.6) = 7
  const auto at = [](double seconds) { return Seconds<double>(seconds); };
  const auto plain = closed_bubble<double>(shape, {at(1), at(1.2), at(0.8), at(3), at(0)});
  CHECK(plain.own_span.value() == doctest::Approx(4.2));
  CHECK(plain.of_makespan.value() == doctest::Approx(7));
  const auto between = [](double low, double high) { return Seconds<Interval>(Interval(low, high)); };
  const auto range = closed_bubble<Interval>(
      shape, {between(1, 1), between(1.2, 1.2), between(0.7, 0.8), between(3, 3), between(0, 0)});
  CHECK(range.own_span.value().low <= 4.2 + 1e-9);
  CHECK(range.own_span.value().high >= 5.6 - 1e-9);
}

TEST_CASE("outside its domain a closed form says why") {
  CHECK(closed_form({{zb_h1, 8, 32, 1}, {{{10, 12, 8}}}}).outside.empty());
  CHECK(!closed_form({{zb_h1, 8, 32, 1}, {{{10, 8, 12}}}}).outside.empty());
  CHECK(!closed_form({{one_f_one_b, 8, 32, 1}, {{{10, 12, 8}}, 1}}).outside.empty());
  CHECK(closed_form({{gpipe, 8, 32, 1}, {{{10, 12, 8}}, 1}}).outside.empty());
  CHECK(!closed_form({{gpipe, 2, 32, 1}, {{{10, 12, 8}, {11, 12, 8}}}}).outside.empty());
}

}  // namespace ridge::train::schedule_test
