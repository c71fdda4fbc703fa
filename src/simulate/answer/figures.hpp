#pragma once
// The figures of a run by name, and what several seeds say of them.

#include <string>
#include <vector>

#include "simulate/simulation.hpp"

namespace ridge::simulate {

struct RunFigure {
  std::string name;  // "ttft_p99"
  double value = 0;  // s, requests a second, tokens a second, a share
};

/// Always the same names in the same order.
std::vector<RunFigure> figures_of(const SimulationResult& result);

/// Of requests that were sent and met every target, refused and lost ones among those that did not; 1 where nothing was sent.
double share_within_targets(const SimulationResult& result);

/// A figure over independent runs: its mean, and the interval that holds the true mean in 95 of 100 such experiments
/// (Student's t).
struct SeedSpread {
  std::string name;
  double mean = 0, low = 0, high = 0;
};
/// Of as many runs as there are lists, each from figures_of.
std::vector<SeedSpread> over_seeds(const std::vector<std::vector<RunFigure>>& runs);

}  // namespace ridge::simulate
