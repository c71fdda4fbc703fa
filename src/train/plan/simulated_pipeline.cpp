#include <algorithm>
#include <cmath>

#include "train/plan/training_answer.hpp"
#include "train/step/scheduled_times.hpp"

namespace ridge {

namespace {

constexpr double kNano = 1e-9;

/// A schedule that the estimate has simulated already.
SimulatedPipeline as_estimated(const TrainingEstimate& estimate) {
  const TrainingTimes<double>& times = estimate.times;
  Seconds<double> slowest(0.0);
  double live = 0;
  for (const StagePass<double>& stage : times.stages) slowest = std::max(slowest, stage.total());
  for (const StageMemory& stage : estimate.memory.stages) live = std::max(live, stage.live);
  const Seconds<double> waited = times.part[static_cast<std::size_t>(TrainingPart::bubble)] +
                                 times.part[static_cast<std::size_t>(TrainingPart::hops)];
  return {std::string(train::name_of(estimate.layout.schedule)),
          slowest * times.micro_batches - times.hidden - times.hidden_again + waited, waited, live};
}

}  // namespace

std::vector<SimulatedPipeline> simulated_pipelines(const TrainingEstimate& estimate) {
  using train::ScheduleKind;
  const TrainingLayout& layout = estimate.layout;
  std::vector<SimulatedPipeline> out;
  if (layout.pipeline <= 1) return out;
  constexpr double kMostEvents = 1e6;  // of a schedule: more take longer than anybody waits
  if (3 * estimate.times.micro_batches * layout.pipeline * layout.virtual_stages > kMostEvents) return out;
  const ScheduleKind own = schedule_of(layout);
  const auto add = [&](ScheduleKind kind) {
    train::ScheduleQuestion question;
    const int fixed = train::fixed_chunks(kind);
    question.shape = {.kind = kind,
                      .ranks = static_cast<int>(layout.pipeline),
                      .microbatches = static_cast<int>(estimate.times.micro_batches),
                      .chunks = fixed > 0 ? fixed : static_cast<int>(layout.virtual_stages)};
    const int chunks = kind == ScheduleKind::dualpipe ? 1 : question.shape.chunks;
    for (int stage = 0; stage < question.shape.stages(); ++stage) {
      const auto rank = static_cast<std::size_t>(question.shape.rank_of(stage));
      question.times.stages.push_back(stage_time(estimate.times.stages[rank], chunks));
    }
    question.times.hop = nanoseconds_of(estimate.times.hop);
    const auto figures = train::schedule_figures(question);
    if (!figures) return;  // the schedule needs other stages or micro-batches
    out.push_back({std::string(train::name_of(kind)), Seconds<double>(static_cast<double>(figures->makespan) * kNano),
                   Seconds<double>(static_cast<double>(figures->bubble_of_makespan()) * kNano),
                   figures->peak_live_microbatches()});
  };
  if (layout.schedule == ScheduleKind::one_f_one_b) {
    add(own);
  } else {
    out.push_back(as_estimated(estimate));
  }
  for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::zb_h1, ScheduleKind::zb_h2,
                                  ScheduleKind::zb_v, ScheduleKind::dualpipe, ScheduleKind::dualpipev}) {
    if (kind != own) add(kind);
  }
  return out;
}

}  // namespace ridge
