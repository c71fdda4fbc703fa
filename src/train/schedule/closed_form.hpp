#pragma once
// What the bubble of an even pipeline is in a formula, and where the formula is exact. Everywhere else the simulation is
// the answer. docs/theory/schedules.md derives the lines; tests hold them to the simulation, in whole nanoseconds.

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "base/number/units.hpp"
#include "train/schedule/schedule.hpp"

namespace ridge::train {

/// The times of every stage of an even pipeline, as the formulas read them. A stage is one chunk of a rank.
template <class S>
struct EvenStage {
  Seconds<S> forward, input_gradient, weight_gradient;  // F, I, W
  Seconds<S> pair;                                      // F&B of DualPipe; F + I + W where they do not overlap
  Seconds<S> hop;                                       // h, only GPipe's and inference's formulas know it
};

template <class S>
struct ClosedBubble {
  Seconds<S> own_span;     // of a rank between its first and its last operation
  Seconds<S> of_makespan;  // of a rank in the whole step, up to an optimizer step that waits for all ranks
};

/// Every closed form there is. Counts are plain, and of one shape.
template <class S>
ClosedBubble<S> closed_bubble(const PipelineShape& shape, const EvenStage<S>& t, int tokens = 1) {
  const double p = shape.ranks, m = shape.microbatches;
  const Seconds<S> f = t.forward, i = t.input_gradient, w = t.weight_gradient, b = i + w;
  const auto both = [](const Seconds<S>& bubble) { return ClosedBubble<S>{bubble, bubble}; };
  switch (shape.kind) {
    case ScheduleKind::gpipe:
      return both((p - 1) * (f + b + 2.0 * t.hop));
    case ScheduleKind::one_f_one_b:
    case ScheduleKind::interleaved:
      return both((p - 1) * (f + b));  // of a chunk: 1 / v of a rank
    case ScheduleKind::zb_h1:
      return both((p - 1) * (f + i) - std::min(m - 1, p - 1) * w);
    case ScheduleKind::zb_h2: {
      const Seconds<S> own = f + i - 2.0 * w;
      return {(p - 1) * own, (p - 1) * max(f, own)};
    }
    case ScheduleKind::zb_v: {
      const Seconds<S> own = 2.0 * (i - w);
      return {(p - 1) * own, (p - 1) * max(i, own)};
    }
    case ScheduleKind::dualpipe:
      return both((p / 2 - 1) * (t.pair + b - 3.0 * w));
    case ScheduleKind::dualpipev:
      return both((p - 1) * (t.pair + b - 3.0 * w));
    case ScheduleKind::inference: {
      // a token's round trip, or the turn of all micro-batches, whichever is longer, and at the end the last ones drain
      const Seconds<S> round = max(p * f + (p > 1 ? p : 0) * t.hop, m * f);
      const Seconds<S> filled = (tokens - 1.0) * (round - m * f);
      return {filled, filled + (p - 1) * (f + t.hop)};
    }
  }
  return {};
}

/// Chunks that are live at once on a rank, at most. Exact for every count of micro-batches that a schedule takes, but for
/// ZB-V, where it needs 2p - 1.
constexpr int closed_peak_live(const PipelineShape& shape, int rank) {
  const int p = shape.ranks, m = shape.microbatches, v = shape.chunks;
  switch (shape.kind) {
    case ScheduleKind::gpipe:
    case ScheduleKind::inference:
      return m;
    case ScheduleKind::one_f_one_b:
      return std::min(p - rank, m);
    case ScheduleKind::interleaved:
      return std::min(m * v, (v - 1) * p + 2 * (p - 1 - rank) + 1);
    case ScheduleKind::zb_h1:
      return std::min(p, m);
    case ScheduleKind::zb_h2:
      return std::min(2 * p - 1, m);
    case ScheduleKind::zb_v:
      return 2 * p;
    case ScheduleKind::dualpipe:
      return p + 1;
    case ScheduleKind::dualpipev:
      return 2 * p + 1;
  }
  return 0;
}

/// Hops that an even pipeline waits for in a step, where they are short against a pass. 1F1B: there and back once, and
/// twice for every further micro-batch but one in p, which finds its message there. Interleaved: filling and draining go
/// through every chunk of every rank, p micro-batches leave no time between two chunks; in between nothing is waited for.
/// Exact by simulation (docs/theory/schedules.md).
constexpr double waited_hops(const PipelineShape& shape) {
  const int p = shape.ranks, m = shape.microbatches;
  if (p <= 1) return 0;
  if (shape.kind == ScheduleKind::interleaved) return 2.0 * (p * shape.chunks - 1);
  return 2.0 * (p - 1 + m - 1 - (m - 1 + p - 1) / p);
}

/// What 1F1B waits for hops on stages that need not be even, beside m passes of the slowest and one of each other. From a
/// stage j micro-batches go to a later one and back: k stages advance k micro-batches in the sum of their passes and
/// 2 (k - 1) hops, a single one in its own pass. The slowest of these rounds sets the pace, so where one stage is slower
/// than the rest hops hide behind it. Even stages wait as waited_hops says; exact where only the last differs.
template <class S>
Seconds<S> hops_of_rounds(std::span<const Seconds<S>> passes, const Seconds<S>& hop, double microbatches) {
  const std::size_t p = passes.size();
  const Seconds<S> none = literal<Seconds<S>>(0.0), both = hop * 2.0;
  if (p <= 1 || !(hop > none)) return none;
  const Seconds<S> slowest = *std::max_element(passes.begin(), passes.end());
  // the contiguous stages with the largest round for each of them: those above the pace so far, until none are
  std::size_t first = 0, stages = 1;
  Seconds<S> round = slowest, pace = slowest;
  for (;;) {
    Seconds<S> above = none, most = both + pace * 1e-12;
    std::size_t from = 0, best_first = 0, best_stages = 0;
    for (std::size_t i = 0; i < p; ++i) {
      if (!(above > none)) {
        above = none;
        from = i;
      }
      above = above + passes[i] + both - pace;
      if (!(above > most)) continue;
      most = above;
      best_first = from;
      best_stages = i + 1 - from;
    }
    if (best_stages < 2) break;
    first = best_first;
    stages = best_stages;
    const auto k = static_cast<double>(stages);
    round = most + pace * k - both;
    pace = round * (1 / k);
  }
  const double rounds = std::floor((microbatches - 1) / static_cast<double>(stages));
  const double rest = microbatches - 1 - rounds * static_cast<double>(stages);
  Seconds<S> last = slowest * rest;
  if (rest > 1) {
    // fewer stages of the same round
    const auto some = static_cast<std::size_t>(rest);
    Seconds<S> sum = none;
    for (std::size_t i = first; i < first + stages; ++i) {
      sum = sum + passes[i];
      if (i >= first + some) sum = sum - passes[i - some];
      if (i + 1 >= first + some) last = max(last, sum + both * (rest - 1));
    }
  }
  const Seconds<S> there_and_back = both * static_cast<double>(p - 1);
  return stages > 1 ? there_and_back + round * rounds + last - slowest * (microbatches - 1) : there_and_back;
}

/// The same where a rank computes nothing while it sends and gets (1F1B and interleaved): with every chunk of a micro-batch
/// it waits for its neighbors twice, `messages` each time: 1 where it sends and gets at once, 2 where one after the other.
/// The ends have a neighbor on one side.
template <class S>
Seconds<S> blocking_hops(std::span<const Seconds<S>> passes, const Seconds<S>& hop, double microbatches, double chunks,
                         const Ratio<S>& messages) {
  const std::size_t p = passes.size();
  Seconds<S> slowest = literal<Seconds<S>>(0.0), pace = slowest;
  if (p <= 1) return slowest;
  for (std::size_t i = 0; i < p; ++i) {
    slowest = max(slowest, passes[i]);
    pace = max(pace, passes[i] + hop * messages * (2 * chunks - (i == 0 || i + 1 == p ? 1 : 0)));
  }
  return hop * (2.0 * static_cast<double>(p - 1)) + (pace - slowest) * (microbatches - 1 / chunks);
}

/// What a rank computes for one micro-batch, without overlap.
template <class S>
Seconds<S> closed_work(const PipelineShape& shape, const EvenStage<S>& t) {
  const Seconds<S> one =
      shape.kind == ScheduleKind::inference ? t.forward : t.forward + t.input_gradient + t.weight_gradient;
  return (shape.kind == ScheduleKind::dualpipe ? 1.0 : static_cast<double>(shape.chunks)) * one;
}

template <class S>
Seconds<S> closed_makespan(const PipelineShape& shape, const EvenStage<S>& t, int tokens = 1) {
  return static_cast<double>(tokens) * shape.microbatches * closed_work(shape, t) +
         closed_bubble(shape, t, tokens).of_makespan;
}

/// A formula in letters, and where it is exact.
struct ClosedFormText {
  std::string_view own_span, of_makespan, domain;
};
ClosedFormText closed_form_text(ScheduleKind kind);

/// The formula beside the simulation, for any question: of an even pipeline with the mean of its stages' times.
struct ClosedFormAnswer {
  ClosedBubble<double> bubble;  // seconds
  Seconds<double> makespan;
  std::string outside;  // why the formula is not exact here; empty inside its domain
};
ClosedFormAnswer closed_form(const ScheduleQuestion& question);

/// A makespan that no schedule of this shape can be below, in one pass over the stages: a rank cannot begin before the
/// stages before it have run, nor end before its work is done, nor may the backward pass behind it be missing. Exchange
/// that a pair may hide is not counted. Jitter that makes micro-batches quicker is not known to it.
Nanoseconds makespan_bound(const PipelineShape& shape, const StageTimes& times);

}  // namespace ridge::train
