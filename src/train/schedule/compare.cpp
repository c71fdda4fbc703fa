#include "train/schedule/compare.hpp"

#include <cmath>

#include "simulate/client/random.hpp"

namespace ridge::train {

namespace {

/// What a stage of the shape takes: the one given for it, or its part of what its rank takes.
StageTime stage_time(const PipelineAsked& asked, const PipelineShape& shape, int stage) {
  const auto given = static_cast<int>(asked.stages.size());
  if (given == shape.stages() && given != shape.ranks) return asked.stages[static_cast<std::size_t>(stage)];
  const StageTime& whole = asked.stages[static_cast<std::size_t>(shape.rank_of(stage))];
  return even_times(shape, whole).stages.front();
}

std::vector<std::int32_t> drawn_jitter(const PipelineAsked& asked, const PipelineShape& shape) {
  std::vector<std::int32_t> jitter;
  if (asked.jitter <= 0) return jitter;
  simulate::Random random(asked.seed);
  const auto count = static_cast<std::size_t>(shape.microbatches) * static_cast<std::size_t>(shape.stages());
  jitter.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = std::clamp(asked.jitter * random.normal(), -0.9, 100.0);
    jitter.push_back(static_cast<std::int32_t>(std::lround(share * 1e6)));
  }
  return jitter;
}

}  // namespace

ScheduleQuestion question_of(const PipelineAsked& asked, ScheduleKind kind) {
  ScheduleQuestion question;
  const int fixed = fixed_chunks(kind);
  question.shape = {kind, asked.ranks, asked.microbatches, asked.chunks.value_or(fixed > 0 ? fixed : 2)};
  question.tokens = kind == ScheduleKind::inference ? asked.tokens : 1;
  question.times.hop = asked.hop;
  question.times.pair_millionths = std::llround(asked.pair * 1e6);
  if (!check(question.shape).empty()) return question;  // its errors are told; there is nothing to divide
  const auto given = static_cast<int>(asked.stages.size());
  if (given == 1) {
    question.times.stages = even_times(question.shape, asked.stages.front()).stages;
  } else if (given == question.shape.ranks || given == question.shape.stages()) {
    for (int stage = 0; stage < question.shape.stages(); ++stage)
      question.times.stages.push_back(stage_time(asked, question.shape, stage));
  } else {
    question.times.stages = asked.stages;  // refused by check
  }
  question.times.jitter_millionths = drawn_jitter(asked, question.shape);
  return question;
}

std::vector<ScheduleRow> compare_schedules(const PipelineAsked& asked) {
  std::vector<ScheduleRow> rows;
  for (const ScheduleKind kind : kScheduleKinds) {
    if (kind == ScheduleKind::inference) continue;
    PipelineAsked own = asked;
    if (fixed_chunks(kind) > 0) own.chunks.reset();
    const ScheduleQuestion question = question_of(own, kind);
    ScheduleRow row{kind, {}, {}, {}};
    if (auto figures = schedule_figures(question)) {
      row.figures = std::move(*figures);
      row.closed = closed_form(question);
    } else {
      row.refused = figures.error();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<ScheduleAnswer> answer_schedule(const PipelineAsked& asked, ScheduleKind kind) {
  ScheduleQuestion question = question_of(asked, kind);
  auto found = schedule(question);
  if (!found) return fail(found.error());
  ClosedFormAnswer closed = closed_form(question);
  return ScheduleAnswer{asked, std::move(question), std::move(*found), std::move(closed)};
}

}  // namespace ridge::train
