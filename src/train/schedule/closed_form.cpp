#include "train/schedule/closed_form.hpp"

#include <array>

namespace ridge::train {

namespace {

constexpr std::array<ClosedFormText, kScheduleKinds.size()> kFormulas = {{
    {"(p-1)(F+B+2h)", "(p-1)(F+B+2h)", "even stages"},
    {"(p-1)(F+B)", "(p-1)(F+B)", "even stages, no hops"},
    {"(p-1)(F+B)/v", "(p-1)(F+B)/v", "even stages, no hops, p divides m"},
    {"(p-1)(F+I) - min(m-1, p-1) W", "(p-1)(F+I) - min(m-1, p-1) W", "even stages, no hops, W <= F, W <= I"},
    {"(p-1)(F+I-2W)", "(p-1) max(F, F+I-2W)", "even stages, no hops, W <= F, W <= I, m >= 2p-1"},
    {"(p-1)(I-W)", "(p-1) max(I/2, I-W)", "even stages, no hops, W <= F <= I, m >= 2p-1"},
    {"(p/2-1)(F&B+B-3W)", "(p/2-1)(F&B+B-3W)", "even stages, no hops, F = I = W, F&B = F+B"},
    {"(p-1)(F&B+B-3W)/2", "(p-1)(F&B+B-3W)/2", "even stages, no hops, F = I = W, F&B = F+B"},
    {"(k-1)(max(p(F+h), mF) - mF)", "the same + (p-1)(F+h)", "even stages"},
}};

/// The mean of the stages, in nanoseconds.
EvenStage<double> mean_stage(const ScheduleQuestion& question) {
  double forward = 0, input_gradient = 0, weight_gradient = 0;
  for (const StageTime& time : question.times.stages) {
    forward += static_cast<double>(time.forward);
    input_gradient += static_cast<double>(time.input_gradient);
    weight_gradient += static_cast<double>(time.weight_gradient);
  }
  const auto mean = [&](double sum) {
    return Seconds<double>(sum / static_cast<double>(question.times.stages.size()));
  };
  EvenStage<double> stage{mean(forward), mean(input_gradient), mean(weight_gradient), {}, {}};
  stage.pair = (stage.forward + stage.input_gradient + stage.weight_gradient) *
               (static_cast<double>(question.times.pair_millionths) * 1e-6);
  stage.hop = Seconds<double>(question.shape.ranks > 1 ? static_cast<double>(question.times.hop) : 0.0);
  return stage;
}

std::string outside_of_times(const ScheduleQuestion& question, const StageTime& t) {
  const int p = question.shape.ranks, m = question.shape.microbatches;
  const bool w_least = t.weight_gradient <= t.forward && t.weight_gradient <= t.input_gradient;
  switch (question.shape.kind) {
    case ScheduleKind::zb_h1:
      return w_least ? "" : "W is above F or I";
    case ScheduleKind::zb_h2:
      return !w_least ? "W is above F or I" : m < 2 * p - 1 ? "fewer than 2p-1 micro-batches" : "";
    case ScheduleKind::zb_v:
      return !(t.weight_gradient <= t.forward && t.forward <= t.input_gradient) ? "not W <= F <= I"
             : m < 2 * p - 1                                                    ? "fewer than 2p-1 micro-batches"
                                                                                : "";
    case ScheduleKind::dualpipe:
    case ScheduleKind::dualpipev:
      return t.forward != t.input_gradient || t.forward != t.weight_gradient ? "not F = I = W"
             : question.times.pair_millionths != 1'000'000 || t.forward_exchange.shown + t.backward_exchange.shown > 0
                 ? "F and B overlap"
                 : "";
    default:
      return "";
  }
}

std::string outside_of_domain(const ScheduleQuestion& question) {
  const StageTimes& times = question.times;
  if (question.shape.ranks == 1) return "";  // one rank is never idle
  const bool even = std::all_of(times.stages.begin(), times.stages.end(),
                                [&](const StageTime& time) { return time == times.stages.front(); });
  if (!even) return "stages take different times";
  if (std::any_of(times.jitter_millionths.begin(), times.jitter_millionths.end(), [](auto by) { return by != 0; }))
    return "micro-batches take different times";
  const bool knows_hops = question.shape.kind == ScheduleKind::gpipe || question.shape.kind == ScheduleKind::inference;
  if (times.hop != 0 && !knows_hops) return "hops take time";
  return outside_of_times(question, times.stages.front());
}

}  // namespace

ClosedFormText closed_form_text(ScheduleKind kind) { return kFormulas[static_cast<std::size_t>(kind)]; }

ClosedFormAnswer closed_form(const ScheduleQuestion& question) {
  const EvenStage<double> nanoseconds = mean_stage(question);
  const ClosedBubble<double> bubble = closed_bubble(question.shape, nanoseconds, question.tokens);
  return {{bubble.own_span * 1e-9, bubble.of_makespan * 1e-9},
          closed_makespan(question.shape, nanoseconds, question.tokens) * 1e-9,
          outside_of_domain(question)};
}

Nanoseconds makespan_bound(const PipelineShape& shape, const StageTimes& times) {
  const auto time_of = [&](int stage) -> const StageTime& {
    return times.stages[times.stages.size() == 1 ? 0 : static_cast<std::size_t>(stage)];
  };
  const bool trains = shape.kind != ScheduleKind::inference, split = splits_backward(shape.kind);
  Nanoseconds bound = 0, before = 0, behind = 0;  // the stages before a rank's first: forwards, and the way back
  for (int rank = 0; rank < shape.ranks; ++rank) {
    const bool pairs = has_pairs(shape.kind);
    Nanoseconds work = 0;
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      const StageTime& time = time_of(shape.stage_of(rank, chunk));
      work += time.forward + (trains ? time.backward() : 0);
      if (pairs) work -= time.forward_exchange.shown + time.backward_exchange.shown;
    }
    if (shape.kind == ScheduleKind::dualpipe) work /= 2;  // half of the micro-batches in each direction
    // DualPipe starts at both ends at once, and a pair may take less than its parts
    if (pairs)
      work = static_cast<Nanoseconds>(static_cast<double>(work) *
                                      std::min(1.0, static_cast<double>(times.pair_millionths) * 1e-6));
    bound = std::max(bound, work * shape.microbatches + (pairs ? 0 : before + behind));
    before += time_of(rank).forward + times.hop;
    if (trains && !split) behind += time_of(rank).backward() + times.hop;
  }
  return bound;
}

}  // namespace ridge::train
