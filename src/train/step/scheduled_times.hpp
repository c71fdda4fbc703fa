#pragma once
// The step of a layout under its own schedule: 1F1B and interleaved chunks by their closed forms, schedules that put off
// the weight gradients simulated event by event; and what lies in the host's memory on its way there and back.

#include "train/schedule/schedule.hpp"
#include "train/step/training_question.hpp"

namespace ridge {

/// `model`: the stages of the model; `ranks`: what each rank has of them (training_operations.hpp).
TrainingTimes<double> scheduled_times(const TrainingGround& ground, const TrainingOperations& operations,
                                      const std::vector<StageLayers>& model, const std::vector<StageLayers>& ranks,
                                      const TrainingMemory& memory);

/// Passes of the ranks, and of the model's stages where a rank has several of them; offloading included.
struct PipelinePasses {
  std::vector<StagePass<double>> ranks;
  std::vector<StagePass<double>> stages;  // empty: those of the ranks
};

/// The parameters of the fullest rank, which everybody waits for.
HeldParams fullest_held(const TrainingMemory& memory);

/// A step that has everything but the waiting inside the pipeline of a schedule that splits the backward pass, and of
/// schedules that run passes in pairs no exchange that these could hide: no simulation ends sooner. For 1F1B and interleaved chunks it is the step.
TrainingTimes<double> unsimulated_times(const PipelinePasses& passes, const TrainingGround& ground,
                                        const TrainingOperations& operations, const TrainingMemory& memory,
                                        const TrainingRates<double>& rates);
/// The same with the waiting.
TrainingTimes<double> simulated_times(const PipelinePasses& passes, TrainingTimes<double> times,
                                      const TrainingOperations& operations, const TrainingRates<double>& rates,
                                      const TrainingLoad& load);
PipelinePasses pipeline_passes(const TrainingGround& ground, const TrainingOperations& operations,
                               const std::vector<TrainingLayerTimes<double>>& layers,
                               const std::vector<StageLayers>& model, const std::vector<StageLayers>& ranks,
                               const TrainingMemory& memory, const TrainingRates<double>& rates);

/// As schedules count: whole nanoseconds, of one of so many equal parts.
train::Nanoseconds nanoseconds_of(const Seconds<double>& time, double parts = 1);
/// A rank's passes, of one of its equal chunks.
train::StageTime stage_time(const StagePass<double>& pass, double chunks = 1);

/// Whether a schedule's bubble is simulated.
bool is_simulated(const TrainingLayout& layout);

}  // namespace ridge
