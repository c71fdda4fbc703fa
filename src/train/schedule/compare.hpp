#pragma once
// One pipeline under one schedule or under all of them: what the ranks take is said once, and each schedule divides it over
// its chunks.

#include <cstdint>
#include <optional>
#include <vector>

#include "train/schedule/closed_form.hpp"

namespace ridge::train {

/// A pipeline as people describe it.
struct PipelineAsked {
  int ranks = 8, microbatches = 32;
  std::optional<int> chunks;  // of the interleaved schedule: 2 where nobody says
  std::vector<StageTime>
      stages;  // one for all ranks; one for each rank; or, of one schedule, one for each of its stages
  Nanoseconds hop = 0;
  double pair = 1;    // time of DualPipe's F&B over F + B
  double jitter = 0;  // standard deviation of a stage's times over micro-batches, as a share
  std::uint64_t seed = 1;
  int tokens = 1;  // of inference
};

/// What a schedule makes of it. Chunks share a rank's time evenly.
ScheduleQuestion question_of(const PipelineAsked& asked, ScheduleKind kind);

struct ScheduleRow {
  ScheduleKind kind = ScheduleKind::gpipe;
  std::optional<ScheduleFigures> figures;  // none where the schedule cannot take the pipeline
  ClosedFormAnswer closed;
  Errors refused;
};
/// Every schedule of a training step, in the order of kScheduleKinds.
std::vector<ScheduleRow> compare_schedules(const PipelineAsked& asked);

struct ScheduleAnswer {
  PipelineAsked asked;
  ScheduleQuestion question;
  Schedule schedule;
  ClosedFormAnswer closed;
};
Result<ScheduleAnswer> answer_schedule(const PipelineAsked& asked, ScheduleKind kind);

}  // namespace ridge::train
