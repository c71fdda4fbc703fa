#pragma once
// A pipeline schedule through time: every operation of every rank, from stage times that need not be equal. Whole
// nanoseconds and a fixed order on each rank, so the same question has the same answer to the last bit.
//
//   ScheduleQuestion --schedule--> Schedule            with every event
//   ScheduleQuestion --schedule_figures--> figures     the same numbers without them, for searches
//
// An operation starts when its rank is free and what it needs has arrived: a forward needs the stage before, an input
// gradient the stage behind and its own forward, a weight gradient its own input gradient. Between ranks lies a hop.

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "cost/operation.hpp"
#include "train/schedule/kind.hpp"

namespace ridge::train {

using Nanoseconds = std::int64_t;

/// What a pass has of messages between the ranks of an expert group: what of them shows in it alone, and how long they are
/// on their way, which the other pass of a pair can hide.
struct ExchangeTime {
  Nanoseconds shown = 0, sent = 0;
  bool operator==(const ExchangeTime&) const = default;
};

/// What one stage takes for one micro-batch. Where the backward pass is not split, it takes input + weight gradient.
struct StageTime {
  Nanoseconds forward = 0;                                     // F
  Nanoseconds input_gradient = 0;                              // I
  Nanoseconds weight_gradient = 0;                             // W
  ExchangeTime forward_exchange = {}, backward_exchange = {};  // inside F and I

  constexpr Nanoseconds backward() const { return input_gradient + weight_gradient; }
  bool operator==(const StageTime&) const = default;
};

struct StageTimes {
  std::vector<StageTime> stages;  // by stage (PipelineShape::stage_of), or a single one for all of them
  Nanoseconds hop = 0;            // from a stage to its neighbor on another rank, either way; no rank is busy with it
  /// Of a forward and a backward that run together (DualPipe's F&B): their time over F + B, in millionths, beside what
  /// they hide of each other's exchange.
  std::int64_t pair_millionths = 1'000'000;
  /// What is added to every time of a micro-batch, in millionths (an expert that many tokens want): none; one for each
  /// micro-batch; or one for each micro-batch and stage, at [microbatch * stages + stage].
  std::vector<std::int32_t> jitter_millionths = {};
};

struct ScheduleQuestion {
  PipelineShape shape;
  StageTimes times;
  int tokens = 1;  // inference only: passes of each micro-batch, each after the one before has left the last stage
};

enum class Work : std::uint8_t { forward, input_gradient, weight_gradient, backward };  // F, I, W, B = I and W at once

struct Event {
  Work work = Work::forward;
  bool paired = false;  // with the event beside it on the same rank, which has the same times
  std::int16_t chunk = 0;
  std::int32_t rank = 0;
  std::int32_t microbatch = 0;  // 0 to m - 1; those of DualPipe's second direction come after those of the first
  std::int32_t token = 0;       // inference only
  Nanoseconds start = 0, end = 0;
};

/// One rank from its first operation to its last.
struct RankFigures {
  Nanoseconds start = 0, end = 0, busy = 0;
  int peak_live = 0;  // chunks from forward to weight gradient, at most at once; inference: KV caches

  constexpr Nanoseconds own_bubble() const { return end - start - busy; }
};

struct ScheduleFigures {
  PipelineShape shape;
  Nanoseconds makespan = 0;
  std::vector<RankFigures> ranks;

  /// Idle time between a rank's own first and last operation, of the rank that has most.
  Nanoseconds bubble_in_own_span() const;
  /// Idle time of the busiest rank in the makespan: what a synchronizing optimizer step waits for.
  Nanoseconds bubble_of_makespan() const;
  /// Share of all ranks' time in the makespan that nothing is done in; the same of their own spans.
  double idle_share() const;
  double own_idle_share() const;
  /// Peak live micro-batches of a rank, counted in those of a whole rank of an even pipeline (chunks x chunk_share).
  double peak_live_microbatches(int rank) const;
  double peak_live_microbatches() const;  // of the rank that has most
};

struct Schedule {
  ScheduleFigures figures;
  std::vector<Event> events;  // rank by rank, each in order of time

  std::span<const Event> events_of(int rank) const;
};

/// What is live on a rank from `at` until the next.
struct LiveStep {
  Nanoseconds at = 0;
  int chunks = 0;
};
std::vector<LiveStep> live_over_time(const Schedule& schedule, int rank);

/// What is wrong with a question, with the nearest values that are right; fields are "schedule", "stages",
/// "microbatches", "chunks", "tokens" and those of the times.
Errors check(const ScheduleQuestion& question);
Errors check(const PipelineShape& shape);
Errors check(const PipelineShape& shape, const StageTimes& times, int tokens);  // of a shape that is right

Result<Schedule> schedule(const ScheduleQuestion& question);
Result<ScheduleFigures> schedule_figures(const ScheduleQuestion& question);

/// A rank's operations in their order, whatever they take; made once where many times are asked of one shape.
struct ScheduleOrder {
  struct Operation {
    Work work = Work::forward;
    bool paired = false;  // a forward that runs together with the backward behind it
    std::int16_t chunk = 0;
    std::int32_t microbatch = 0;
  };
  PipelineShape shape;
  std::vector<Operation> operations;     // rank by rank
  std::vector<std::size_t> rank_begins;  // of each rank in `operations`, and the end

  std::span<const Operation> of(int rank) const;
};
Result<ScheduleOrder> order_of(const PipelineShape& shape);

/// As schedule_figures, for an order that is there already.
Result<ScheduleFigures> schedule_figures(const ScheduleOrder& order, const StageTimes& times, int tokens = 1);

/// The most that a rank holds where a live chunk of each kind weighs something else (bytes kept by its layers): over the
/// order alone, since no times change it. `of_chunk` has one weight for each of the rank's chunks.
double peak_live_weight(const ScheduleOrder& order, int rank, std::span<const double> of_chunk);

/// A forward and a backward that run together: each one's kernels run while the other's messages are on their way,
/// overlapped as kernels and memory are (cost/operation.hpp). `both` one after the other, `shown` of it messages, which are
/// on their way for `sent`.
template <class S>
Seconds<S> paired(const Seconds<S>& both, const Seconds<S>& shown, const Seconds<S>& sent) {
  return overlapped(both - shown, sent);
}

/// The same in whole nanoseconds, and never longer than one after the other.
Nanoseconds pair_time(Nanoseconds both, const ExchangeTime& exchange);

/// Times of an even pipeline: what a whole rank's share of the model takes, divided over its chunks. A time that its
/// chunks do not divide is rounded to the nearest nanosecond.
StageTimes even_times(const PipelineShape& shape, const StageTime& rank, Nanoseconds hop = 0);

}  // namespace ridge::train
