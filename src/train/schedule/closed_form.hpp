#pragma once
// What the bubble of an even pipeline is in a formula, and where the formula is exact. Everywhere else the simulation is
// the answer. docs/theory/schedules.md derives the lines; tests hold them to the simulation, in whole nanoseconds.

#include <algorithm>
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
/// stages before it have run, nor end before its work is done, nor may the backward pass behind it be missing. Jitter
/// that makes micro-batches quicker is not known to it.
Nanoseconds makespan_bound(const PipelineShape& shape, const StageTimes& times);

}  // namespace ridge::train
