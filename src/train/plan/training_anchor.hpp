#pragma once
// The user's own run as an anchor: the one number that one run can support, the time of all kernels over the calibrated,
// so that the predicted step is the measured one.

#include <string>

#include "train/step/training_estimate.hpp"

namespace ridge {

struct TrainingAnchor {
  double measured = 0, predicted = 0;  // s of a step, before
  double kernels = 1;                  // time of all kernels over the calibrated
  double bound = 0;                    // s: the products and the causal half of attention at the datasheet's peak
  double rest = 0;                     // s of the step that no kernel moves: collectives, host, bubble of those
};

/// Fails where the measurement is below what the chips could do at their peak, or below what the kernels leave over.
Result<TrainingAnchor> anchor_training(const TrainingGround& ground, const TrainingLayout& layout, double measured);

/// The ground with the anchor's number in it.
TrainingGround anchored(TrainingGround ground, double kernels);

}  // namespace ridge
