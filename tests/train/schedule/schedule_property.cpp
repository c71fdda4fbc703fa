// Are the closed forms equal to the simulation inside their domains, to the nanosecond, and does every schedule do all
// of the work once and in order?

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "train/schedule/closed_form.hpp"

namespace ridge::train::schedule_property {

using enum ScheduleKind;

int draw(int low, int high) { return *rc::gen::inRange(low, high + 1); }

/// Any shape that a kind takes.
PipelineShape random_shape(ScheduleKind kind) {
  PipelineShape shape{kind, draw(1, 12), draw(1, 48), fixed_chunks(kind)};
  if (kind == interleaved) {
    shape.chunks = draw(2, 5);
    shape.microbatches = draw(1, 5) * shape.ranks;
  }
  if (kind == dualpipe) {
    shape.ranks = 2 * draw(1, 6);
    shape.microbatches = 2 * draw(shape.ranks, shape.ranks + 12);
  }
  if (kind == dualpipev) shape.microbatches = draw(2 * shape.ranks, 2 * shape.ranks + 24);
  return shape;
}

ScheduleKind random_kind() { return kScheduleKinds[static_cast<std::size_t>(draw(0, 8))]; }

/// Even times inside the domain of the kind's closed form.
ScheduleQuestion inside_domain(ScheduleKind kind) {
  ScheduleQuestion question{random_shape(kind), {}, 1};
  StageTime time{draw(0, 1'000'000), draw(0, 1'000'000), draw(0, 1'000'000)};
  if (kind == zb_h1 || kind == zb_h2)
    time.weight_gradient = draw(0, static_cast<int>(std::min(time.forward, time.input_gradient)));
  if (kind == zb_v) {
    Nanoseconds sorted[] = {time.forward, time.input_gradient, time.weight_gradient};
    std::sort(std::begin(sorted), std::end(sorted));
    time = {sorted[1], sorted[2], sorted[0]};
  }
  if (kind == dualpipe || kind == dualpipev) time.input_gradient = time.weight_gradient = time.forward;
  if (kind == zb_h2 || kind == zb_v)
    question.shape.microbatches = std::max(question.shape.microbatches, 2 * question.shape.ranks - 1);
  if (kind == gpipe || kind == inference) question.times.hop = draw(0, 1'000'000);
  if (kind == inference) question.tokens = draw(1, 6);
  question.times.stages = {time};
  return question;
}

StageTimes random_times(const PipelineShape& shape) {
  StageTimes times;
  for (int i = 0; i < shape.stages(); ++i) times.stages.push_back({draw(1, 1000), draw(0, 1000), draw(0, 1000)});
  times.hop = draw(0, 300);
  times.pair_millionths = draw(500'000, 1'000'000);
  return times;
}

/// Some of every pass is exchange, and as much or several times as much is on its way.
void add_exchange(StageTimes& times) {
  const auto some = [](Nanoseconds pass) {
    const Nanoseconds shown = draw(0, static_cast<int>(pass));
    return ExchangeTime{shown, draw(0, 3) * shown};
  };
  for (StageTime& time : times.stages) {
    time.forward_exchange = some(time.forward);
    time.backward_exchange = some(time.input_gradient);
  }
}

TEST_CASE("every closed form is the simulation inside its domain, to the nanosecond") {
  for (const ScheduleKind kind : kScheduleKinds) {
    CAPTURE(std::string(name_of(kind)));
    CHECK(rc::check([kind] {
      const ScheduleQuestion question = inside_domain(kind);
      const auto figures = schedule_figures(question);
      RC_ASSERT(figures.has_value());
      RC_ASSERT(closed_form(question).outside == "");
      const StageTime& time = question.times.stages.front();
      const auto ns = [](Nanoseconds value) { return Seconds<double>(static_cast<double>(value)); };  // whole, so exact
      const EvenStage<double> stage{ns(time.forward), ns(time.input_gradient), ns(time.weight_gradient),
                                    ns(time.forward + time.backward()),
                                    ns(question.shape.ranks > 1 ? question.times.hop : 0)};
      const ClosedBubble<double> bubble = closed_bubble(question.shape, stage, question.tokens);
      RC_ASSERT(static_cast<double>(figures->bubble_in_own_span()) == bubble.own_span.value());
      RC_ASSERT(static_cast<double>(figures->bubble_of_makespan()) == bubble.of_makespan.value());
      RC_ASSERT(static_cast<double>(figures->makespan) ==
                closed_makespan(question.shape, stage, question.tokens).value());
    }));
  }
}

TEST_CASE("peak live chunks are the table's, whatever the stages take") {
  for (const ScheduleKind kind : kScheduleKinds) {
    CAPTURE(std::string(name_of(kind)));
    CHECK(rc::check([kind] {
      PipelineShape shape = random_shape(kind);
      if (kind == zb_v) shape.microbatches = std::max(shape.microbatches, 2 * shape.ranks - 1);
      const auto answer = schedule({shape, random_times(shape), 1});
      RC_ASSERT(answer.has_value());
      for (int rank = 0; rank < shape.ranks; ++rank) {
        RC_ASSERT(answer->figures.ranks[static_cast<std::size_t>(rank)].peak_live == closed_peak_live(shape, rank));
        int most = 0;
        for (const LiveStep& step : live_over_time(*answer, rank)) most = std::max(most, step.chunks);
        RC_ASSERT(most == closed_peak_live(shape, rank));
        if (kind != inference) RC_ASSERT(live_over_time(*answer, rank).back().chunks == 0);
      }
    }));
  }
}

/// Each stage does F, I and W of each micro-batch once (B being both), in the order of what it needs; no rank does two
/// things at once, but for a pair.
void check_conserved(const ScheduleQuestion& question, const Schedule& answer) {
  const PipelineShape& shape = question.shape;
  struct Done {
    int forwards = 0, inputs = 0, weights = 0;
    Nanoseconds forward_start = 0, forward_end = 0, input_start = 0, input_end = 0, weight_start = 0;
  };
  std::map<std::pair<int, int>, Done> done;  // by stage and micro-batch
  for (int rank = 0; rank < shape.ranks; ++rank) {
    Nanoseconds free = 0, pair_start = -1;
    for (const Event& event : answer.events_of(rank)) {
      const bool second_of_pair = event.paired && event.work == Work::backward;
      RC_ASSERT((second_of_pair ? event.start == pair_start : event.start >= free));
      pair_start = event.start;
      free = event.end;
      Done& one = done[{shape.stage_of(rank, event.chunk), event.microbatch}];
      if (event.work == Work::forward) {
        ++one.forwards;
        one.forward_start = event.start;
        one.forward_end = event.end;
      }
      if (event.work == Work::input_gradient || event.work == Work::backward) {
        ++one.inputs;
        one.input_start = event.start;
        one.input_end = event.end;
      }
      if (event.work == Work::weight_gradient || event.work == Work::backward) {
        ++one.weights;
        one.weight_start = event.work == Work::backward ? event.end : event.start;
      }
    }
  }
  const bool trains = shape.kind != inference;
  RC_ASSERT(done.size() == static_cast<std::size_t>(shape.stages() * shape.microbatches));
  for (const auto& [place, one] : done) {
    RC_ASSERT(one.forwards == 1);
    RC_ASSERT(one.inputs == (trains ? 1 : 0));
    RC_ASSERT(one.weights == one.inputs);
    if (place.first > 0) RC_ASSERT((one.forward_start >= done[{place.first - 1, place.second}].forward_end));
    if (!trains) continue;
    RC_ASSERT(one.input_start >= one.forward_end);
    RC_ASSERT(one.weight_start >= one.input_end);
    if (place.first + 1 < shape.stages())
      RC_ASSERT((one.input_start >= done[{place.first + 1, place.second}].input_end));
  }
}

TEST_CASE("every micro-batch passes every stage once, and no rank does two things at once") {
  CHECK(rc::check([] {
    const PipelineShape shape = random_shape(random_kind());
    ScheduleQuestion question{shape, random_times(shape), 1};
    if (draw(0, 1) == 1) {
      for (int i = 0; i < shape.microbatches * shape.stages(); ++i)
        question.times.jitter_millionths.push_back(draw(-500'000, 2'000'000));
    }
    const auto answer = schedule(question);
    RC_ASSERT(answer.has_value());
    check_conserved(question, *answer);
    const auto figures = schedule_figures(question);
    RC_ASSERT(figures->makespan == answer->figures.makespan);
    for (std::size_t i = 0; i < figures->ranks.size(); ++i) {
      RC_ASSERT(figures->ranks[i].busy == answer->figures.ranks[i].busy);
      RC_ASSERT(figures->ranks[i].own_bubble() == answer->figures.ranks[i].own_bubble());
      RC_ASSERT(figures->ranks[i].own_bubble() >= 0);
    }
  }));
}

TEST_CASE("a stage or a hop that takes longer never ends a step sooner, and the bound is never above it") {
  CHECK(rc::check([] {
    const PipelineShape shape = random_shape(random_kind());
    ScheduleQuestion question{shape, random_times(shape), 1};
    const auto whole = schedule_figures(question);
    add_exchange(question.times);
    const auto before = schedule_figures(question);
    RC_ASSERT(whole.has_value());
    RC_ASSERT(before.has_value());
    RC_ASSERT((has_pairs(shape.kind) ? before->makespan <= whole->makespan : before->makespan == whole->makespan));
    RC_ASSERT(makespan_bound(shape, question.times) <= before->makespan);
    StageTime& slower = question.times.stages[static_cast<std::size_t>(draw(0, shape.stages() - 1))];
    Nanoseconds* const fields[] = {&slower.forward, &slower.input_gradient, &slower.weight_gradient,
                                   &question.times.hop};
    *fields[draw(0, 3)] += draw(1, 500);
    RC_ASSERT(schedule_figures(question)->makespan >= before->makespan);
  }));
}

TEST_CASE("the bound is the makespan of an even GPipe or 1F1B without hops") {
  CHECK(rc::check([] {
    const PipelineShape shape = random_shape(draw(0, 1) == 0 ? gpipe : one_f_one_b);
    const StageTimes times{.stages = {{draw(0, 1000), draw(0, 1000), draw(0, 1000)}}};
    RC_ASSERT(makespan_bound(shape, times) == schedule_figures({shape, times})->makespan);
  }));
}

TEST_CASE("twice the times are twice the makespan, and one order serves all times") {
  CHECK(rc::check([] {
    const PipelineShape shape = random_shape(random_kind());
    StageTimes times = random_times(shape);
    times.pair_millionths = 1'000'000;
    const auto order = order_of(shape);
    const Nanoseconds once = schedule_figures(*order, times)->makespan;
    RC_ASSERT(once == schedule_figures({shape, times})->makespan);
    times.hop *= 2;
    for (StageTime& time : times.stages) time = {2 * time.forward, 2 * time.input_gradient, 2 * time.weight_gradient};
    RC_ASSERT(schedule_figures(*order, times)->makespan == 2 * once);
  }));
}

}  // namespace ridge::train::schedule_property
