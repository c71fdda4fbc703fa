#pragma once
// The best layout of a training run among all that are possible: every degree, micro-batch, interleaving, sharding and
// recomputation. A bound that no layout can beat decides which are looked at, so none is lost.

#include <optional>
#include <vector>

#include "train/step/training_estimate.hpp"

namespace ridge {

struct TrainingSearch {
  std::optional<TrainingEstimate> best;       // that fits
  std::optional<TrainingEstimate> runner_up;  // the best with other degrees
  std::optional<TrainingEstimate> least;      // where nothing fits: the one that needs the least memory
  double considered = 0, evaluated = 0;       // layouts there are; those that no bound excluded
  double too_large = 0;                       // of the evaluated, those that do not fit
  double simulated = 0;                       // of them, those whose schedule was simulated event by event
};

/// Degrees that the question gives stay as they are. What lies in the host's memory, and reversible layers, are tried
/// where somebody asks for them; the host's memory also where nothing fits without it.
TrainingSearch search_training(const TrainingGround& ground, const AskedLayout& asked);

}  // namespace ridge
