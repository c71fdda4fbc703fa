#pragma once
// One laid-out training run: its step, its memory, and what follows from them.

#include "train/memory/training_memory.hpp"
#include "train/step/training_question.hpp"

namespace ridge {

struct TrainingEstimate {
  TrainingLayout layout;
  TrainingTimes<double> times;
  TrainingMemory memory;
  TrainingFlops flops;                  // of a token
  std::array<double, 4> utilization{};  // by FlopConvention: MFU, and HFU for the last
  FlopsPerSecond<double> peak{};        // of the recipe's matrix unit
  TokensPerSecond<double> rate{};       // of one chip
  double batch_tokens = 0;
  Seconds<double> run{};  // all tokens; 0: not asked
  double chip_hours = 0;
  Dollars<double> dollars{};  // 0: no price
  Joules<double> energy{};    // 0: no power

  double mfu() const { return utilization[0]; }
  double hfu() const { return utilization[3]; }
};

/// What the chips of a layout hold, against what they have.
TrainingMemory laid_out_memory(const TrainingGround& ground, const TrainingLayout& layout,
                               const std::vector<StageLayers>& ranks);

/// The layout must have been checked.
TrainingEstimate training_estimate(const TrainingGround& ground, const TrainingLayout& layout);

/// A cheaper layout in memory, what it changes, and what it costs in time.
struct WayOut {
  std::string change;
  TrainingEstimate estimate;
};
/// Where it does not fit: what fits with one change, the quickest first, three at most.
std::vector<WayOut> ways_out(const TrainingGround& ground, const TrainingEstimate& estimate);

}  // namespace ridge
