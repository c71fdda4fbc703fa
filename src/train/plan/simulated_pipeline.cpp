#include <cmath>

#include "train/plan/training_answer.hpp"
#include "train/schedule/schedule.hpp"

namespace ridge {

namespace {

constexpr double kNano = 1e-9;

train::StageTime in_nanoseconds(const StagePass<double>& pass, double chunks) {
  const auto whole = [&](double seconds) {
    return static_cast<train::Nanoseconds>(std::llround(seconds / kNano / chunks));
  };
  const double backward = pass.backward.value();
  return {whole(pass.forward.value()), whole(backward / 2), whole(backward / 2)};
}

/// The chunks that a schedule needs on each rank.
int chunks_for(train::ScheduleKind kind, double own) {
  const int fixed = train::fixed_chunks(kind);
  return fixed > 0 ? fixed : static_cast<int>(own);
}

}  // namespace

std::vector<SimulatedPipeline> simulated_pipelines(const TrainingEstimate& estimate) {
  using train::ScheduleKind;
  const TrainingLayout& layout = estimate.layout;
  std::vector<SimulatedPipeline> out;
  if (layout.pipeline <= 1) return out;
  constexpr double kMostEvents = 1e6;  // of a schedule: more take longer than anybody waits
  if (3 * estimate.times.micro_batches * layout.pipeline * layout.virtual_stages > kMostEvents) return out;
  const ScheduleKind own = layout.virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  const auto add = [&](ScheduleKind kind) {
    train::ScheduleQuestion question;
    question.shape = {.kind = kind,
                      .ranks = static_cast<int>(layout.pipeline),
                      .microbatches = static_cast<int>(estimate.times.micro_batches),
                      .chunks = chunks_for(kind, layout.virtual_stages)};
    const int chunks = question.shape.chunks;
    for (int stage = 0; stage < question.shape.stages(); ++stage) {
      const auto rank = static_cast<std::size_t>(question.shape.rank_of(stage));
      question.times.stages.push_back(in_nanoseconds(estimate.times.stages[rank], chunks));
    }
    const auto figures = train::schedule_figures(question);
    if (!figures) return;  // the schedule needs other stages or micro-batches
    out.push_back({std::string(train::name_of(kind)), Seconds<double>(static_cast<double>(figures->makespan) * kNano),
                   Seconds<double>(static_cast<double>(figures->bubble_of_makespan()) * kNano),
                   figures->peak_live_microbatches()});
  };
  add(own);
  for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::zb_h1, ScheduleKind::zb_v}) {
    if (kind != own) add(kind);
  }
  return out;
}

}  // namespace ridge
