#include "train/schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace ridge::train {

namespace {

using Operation = ScheduleOrder::Operation;

constexpr Nanoseconds kNotYet = std::numeric_limits<Nanoseconds>::min() / 2;  // a hop later it is still below zero

/// What an operation of a rank's chunk takes, where the end of what it waits for stands by micro-batch, and where its own
/// end is left.
struct WorkPlace {
  Nanoseconds duration = 0, hop = 0;
  const Nanoseconds* wait = nullptr;
  Nanoseconds* leave = nullptr;
  int live = 0;  // by how much it changes what is live
  ExchangeTime exchange = {};
};

struct ChunkPlace {
  std::array<WorkPlace, 4> work;  // by Work
  int stage = 0;
};

/// When each stage's forwards and input gradients end, by stage and micro-batch; and rows for what waits for nobody and
/// for what nobody waits for.
struct EndTimes {
  EndTimes(int stages, int microbatches)
      : row(static_cast<std::size_t>(microbatches)),
        all_stages(static_cast<std::size_t>(stages)),
        times((2 * all_stages + 2) * row, kNotYet) {
    std::fill_n(times.data(), row, 0);
  }
  const Nanoseconds* at_once() const { return times.data(); }
  Nanoseconds* nobody() { return times.data() + row; }
  Nanoseconds* forward(int stage) { return times.data() + (2 + static_cast<std::size_t>(stage)) * row; }
  Nanoseconds* backward(int stage) { return times.data() + (2 + all_stages + static_cast<std::size_t>(stage)) * row; }

  std::size_t row, all_stages;
  std::vector<Nanoseconds> times;
};

/// A stage of a chunk: a forward waits for the stage before, a gradient for the stage behind, a weight gradient for nobody,
/// since its input gradient stands before it on the same rank.
ChunkPlace chunk_place(const PipelineShape& shape, const StageTimes& times, int stage, EndTimes& ends) {
  const int last = shape.stages() - 1;
  const StageTime& time = times.stages[times.stages.size() == 1 ? 0 : static_cast<std::size_t>(stage)];
  const auto hop = [&](int from) { return shape.rank_of(from) == shape.rank_of(stage) ? Nanoseconds{0} : times.hop; };
  const WorkPlace forward{time.forward,
                          stage == 0 ? 0 : hop(stage - 1),
                          stage == 0 ? ends.at_once() : ends.forward(stage - 1),
                          ends.forward(stage),
                          1,
                          time.forward_exchange};
  WorkPlace input{time.input_gradient, stage == last ? 0 : hop(stage + 1),
                  stage == last ? ends.at_once() : ends.backward(stage + 1), ends.backward(stage), 0};
  WorkPlace backward = input;
  backward.duration = time.backward();
  backward.exchange = time.backward_exchange;
  backward.live = -1;
  return {{forward, input, WorkPlace{time.weight_gradient, 0, ends.at_once(), ends.nobody(), -1}, backward}, stage};
}

std::vector<ChunkPlace> chunk_places(const PipelineShape& shape, const StageTimes& times, EndTimes& ends) {
  std::vector<ChunkPlace> places;
  places.reserve(static_cast<std::size_t>(shape.ranks) * static_cast<std::size_t>(shape.chunks));
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      places.push_back(chunk_place(shape, times, shape.stage_of(rank, chunk), ends));
    }
  }
  return places;
}

/// To the nearest nanosecond, without a product that could overflow.
Nanoseconds scaled(Nanoseconds time, std::int64_t millionths) {
  const std::int64_t rest = time % 1'000'000 * millionths;
  return time / 1'000'000 * millionths + (rest + (rest >= 0 ? 500'000 : -500'000)) / 1'000'000;
}

ExchangeTime together(const ExchangeTime& a, const ExchangeTime& b) { return {a.shown + b.shown, a.sent + b.sent}; }

template <bool jittered>
Nanoseconds duration_of(const StageTimes& times, std::size_t microbatches, const ChunkPlace& place,
                        const Operation& operation) {
  const Nanoseconds plain = place.work[static_cast<std::size_t>(operation.work)].duration;
  if constexpr (!jittered) return plain;
  const auto& jitter = times.jitter_millionths;
  const auto microbatch = static_cast<std::size_t>(operation.microbatch);
  const std::size_t at = jitter.size() == microbatches
                             ? microbatch
                             : microbatch * (jitter.size() / microbatches) + static_cast<std::size_t>(place.stage);
  return plain + scaled(plain, jitter[at]);
}

struct RankState {
  std::span<const Operation> left;
  const ChunkPlace* places;
  Nanoseconds free = 0;
  int live = 0;
};

/// One operation that is ready: its end goes to whoever waits for it.
void leave(const WorkPlace& work, const Operation& operation, Nanoseconds end, RankState& state, RankFigures& figures) {
  work.leave[operation.microbatch] = end;
  state.live += work.live;
  figures.peak_live = std::max(figures.peak_live, state.live);
}

/// Runs one rank until it waits for another. `sink(operation, start, end)` hears of every operation.
template <bool jittered, class Sink>
void run_rank(const StageTimes& times, std::size_t microbatches, RankState& state, RankFigures& figures, Sink&& sink) {
  const auto work_of = [&](const Operation& operation) -> const WorkPlace& {
    return state.places[operation.chunk].work[static_cast<std::size_t>(operation.work)];
  };
  const auto duration = [&](const Operation& operation) {
    return duration_of<jittered>(times, microbatches, state.places[operation.chunk], operation);
  };
  std::size_t done = 0;
  for (const std::size_t all = state.left.size(); done < all;) {
    const Operation& operation = state.left[done];
    const WorkPlace& work = work_of(operation);
    Nanoseconds start = work.wait[operation.microbatch] + work.hop;
    if (start < 0) break;
    start = std::max(start, state.free);
    if (!operation.paired) {
      const Nanoseconds taken = duration(operation);
      state.free = start + taken;
      figures.busy += taken;
      leave(work, operation, state.free, state, figures);
      sink(operation, start, state.free);
      ++done;
      continue;
    }
    const Operation& other = state.left[done + 1];
    const WorkPlace& other_work = work_of(other);
    const Nanoseconds other_arrival = other_work.wait[other.microbatch] + other_work.hop;
    if (other_arrival < 0) break;
    start = std::max(start, other_arrival);
    const Nanoseconds taken =
        scaled(pair_time(duration(operation) + duration(other), together(work.exchange, other_work.exchange)),
               times.pair_millionths);
    state.free = start + taken;
    figures.busy += taken;
    leave(work, operation, state.free, state, figures);
    leave(other_work, other, state.free, state, figures);
    sink(operation, start, state.free);
    sink(other, start, state.free);
    done += 2;
  }
  state.left = state.left.subspan(done);
}

/// All ranks, up and down the pipeline in turn, until nothing is left.
template <bool jittered, class Sink>
ScheduleFigures run_training(const ScheduleOrder& order, const StageTimes& times, Sink&& sink) {
  const PipelineShape& shape = order.shape;
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  ScheduleFigures figures{shape, 0, std::vector<RankFigures>(ranks)};
  EndTimes ends(shape.stages(), shape.microbatches);
  const std::vector<ChunkPlace> places = chunk_places(shape, times, ends);
  std::vector<RankState> states;
  states.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    states.push_back({order.of(static_cast<int>(rank)), &places[rank * static_cast<std::size_t>(shape.chunks)], 0, 0});
    figures.ranks[rank].start = kNotYet;
  }
  bool ran = false;
  std::size_t left = ranks;
  const auto step = [&](std::size_t rank) {
    RankState& state = states[rank];
    if (state.left.empty()) return;
    const std::size_t before = state.left.size();
    run_rank<jittered>(times, ends.row, state, figures.ranks[rank],
                       [&](const Operation& operation, Nanoseconds start, Nanoseconds end) {
                         if (figures.ranks[rank].start == kNotYet) figures.ranks[rank].start = start;
                         sink(rank, operation, start, end, 0);
                       });
    ran |= state.left.size() != before;
    if (state.left.empty()) --left;
  };
  for (ran = true; ran && left > 0;) {
    ran = false;
    for (std::size_t rank = 0; rank < ranks; ++rank) step(rank);
    for (std::size_t rank = ranks; rank-- > 0;) step(rank);
  }
  assert(left == 0 && "the orders of the ranks wait for each other in a circle");
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    figures.ranks[rank].end = states[rank].free;
    figures.makespan = std::max(figures.makespan, states[rank].free);
  }
  return figures;
}

/// Forwards alone, token after token: a micro-batch begins again when its token has come back from the last stage.
template <bool jittered, class Sink>
ScheduleFigures run_inference(const ScheduleOrder& order, const StageTimes& times, int tokens, Sink&& sink) {
  const PipelineShape& shape = order.shape;
  const auto microbatches = static_cast<std::size_t>(shape.microbatches);
  ScheduleFigures figures{shape, 0, std::vector<RankFigures>(static_cast<std::size_t>(shape.ranks))};
  EndTimes ends(shape.stages(), shape.microbatches);
  const std::vector<ChunkPlace> places = chunk_places(shape, times, ends);
  const Nanoseconds hop = shape.ranks > 1 ? times.hop : 0;
  std::vector<Nanoseconds> arrived(microbatches, 0);
  for (int token = 0; token < tokens; ++token) {
    for (const Operation& operation : order.of(0)) {
      Nanoseconds& arrival = arrived[static_cast<std::size_t>(operation.microbatch)];
      for (std::size_t rank = 0; rank < figures.ranks.size(); ++rank) {
        RankFigures& own = figures.ranks[rank];
        const Nanoseconds taken = duration_of<jittered>(times, microbatches, places[rank], operation);
        const Nanoseconds start = std::max(arrival, own.end);
        if (token == 0 && own.peak_live++ == 0) own.start = start;
        own.end = start + taken;
        own.busy += taken;
        arrival = own.end + hop;
        sink(rank, operation, start, own.end, token);
      }
    }
  }
  for (const RankFigures& rank : figures.ranks) figures.makespan = std::max(figures.makespan, rank.end);
  return figures;
}

template <class Sink>
ScheduleFigures run_order(const ScheduleOrder& order, const StageTimes& times, int tokens, Sink&& sink) {
  const bool jittered = !times.jitter_millionths.empty();
  if (order.shape.kind == ScheduleKind::inference) {
    return jittered ? run_inference<true>(order, times, tokens, sink)
                    : run_inference<false>(order, times, tokens, sink);
  }
  return jittered ? run_training<true>(order, times, sink) : run_training<false>(order, times, sink);
}

constexpr auto kNoSink = [](std::size_t, const Operation&, Nanoseconds, Nanoseconds, int) {};

}  // namespace

Nanoseconds ScheduleFigures::bubble_in_own_span() const {
  Nanoseconds most = 0;
  for (const RankFigures& rank : ranks) most = std::max(most, rank.own_bubble());
  return most;
}

Nanoseconds ScheduleFigures::bubble_of_makespan() const {
  Nanoseconds busiest = 0;
  for (const RankFigures& rank : ranks) busiest = std::max(busiest, rank.busy);
  return makespan - busiest;
}

double ScheduleFigures::idle_share() const {
  double busy = 0;
  for (const RankFigures& rank : ranks) busy += static_cast<double>(rank.busy);
  const double all = static_cast<double>(makespan) * static_cast<double>(ranks.size());
  return all > 0 ? 1 - busy / all : 0;
}

double ScheduleFigures::own_idle_share() const {
  double idle = 0, all = 0;
  for (const RankFigures& rank : ranks) {
    idle += static_cast<double>(rank.own_bubble());
    all += static_cast<double>(rank.end - rank.start);
  }
  return all > 0 ? idle / all : 0;
}

double ScheduleFigures::peak_live_microbatches(int rank) const {
  return ranks[static_cast<std::size_t>(rank)].peak_live * shape.chunk_share();
}

double ScheduleFigures::peak_live_microbatches() const {
  int most = 0;
  for (const RankFigures& rank : ranks) most = std::max(most, rank.peak_live);
  return most * shape.chunk_share();
}

std::span<const Event> Schedule::events_of(int rank) const {
  const auto before = [](const Event& event, int asked) { return event.rank < asked; };
  const auto from = std::lower_bound(events.begin(), events.end(), rank, before);
  const auto to = std::lower_bound(from, events.end(), rank + 1, before);
  return {from, to};
}

std::vector<LiveStep> live_over_time(const Schedule& schedule, int rank) {
  std::vector<LiveStep> steps = {{0, 0}};
  const auto change = [&](Nanoseconds at, int by) {
    if (steps.back().at < at) steps.push_back({at, steps.back().chunks});
    steps.back().chunks += by;
  };
  for (const Event& event : schedule.events_of(rank)) {
    if (event.work == Work::forward && event.token == 0) change(event.start, 1);
    if (event.work == Work::weight_gradient || event.work == Work::backward) change(event.end, -1);
  }
  return steps;
}

Result<Schedule> schedule(const ScheduleQuestion& question) {
  if (Errors errors = check(question); !errors.empty()) return fail(std::move(errors));
  const auto order = order_of(question.shape);
  if (!order) return fail(order.error());
  const auto tokens = static_cast<std::size_t>(question.tokens);
  Schedule result;
  result.events.resize(order->operations.size() * tokens);
  std::vector<std::size_t> next(order->rank_begins.begin(), order->rank_begins.end() - 1);
  for (std::size_t& at : next) at *= tokens;
  result.figures =
      run_order(*order, question.times, question.tokens,
                [&](std::size_t rank, const Operation& operation, Nanoseconds start, Nanoseconds end, int token) {
                  result.events[next[rank]++] = {operation.work,
                                                 operation.paired,
                                                 operation.chunk,
                                                 static_cast<std::int32_t>(rank),
                                                 operation.microbatch,
                                                 token,
                                                 start,
                                                 end};
                });
  return result;
}

Result<ScheduleFigures> schedule_figures(const ScheduleQuestion& question) {
  const auto order = order_of(question.shape);
  if (!order) return fail(order.error());
  return schedule_figures(*order, question.times, question.tokens);
}

Result<ScheduleFigures> schedule_figures(const ScheduleOrder& order, const StageTimes& times, int tokens) {
  if (Errors errors = check(order.shape, times, tokens); !errors.empty()) return fail(std::move(errors));
  return run_order(order, times, tokens, kNoSink);
}

Nanoseconds pair_time(Nanoseconds both, const ExchangeTime& exchange) {
  if (exchange.shown <= 0) return both;
  const auto seconds = [](Nanoseconds time) { return Seconds<double>(static_cast<double>(time)); };
  const auto together = paired(seconds(both), seconds(std::min(exchange.shown, both)), seconds(exchange.sent));
  return std::min(both, static_cast<Nanoseconds>(std::llround(together.value())));
}

StageTimes even_times(const PipelineShape& shape, const StageTime& rank, Nanoseconds hop) {
  const int parts = shape.kind == ScheduleKind::dualpipe ? 1 : shape.chunks;
  const auto part = [&](Nanoseconds time) { return (time + parts / 2) / parts; };
  return {.stages = {{part(rank.forward), part(rank.input_gradient), part(rank.weight_gradient)}}, .hop = hop};
}

}  // namespace ridge::train
