#pragma once
// Runs of one configuration that somebody measured several times: how far they lie from each other is the floor under
// every error of a prediction, which says the same for all of them.

#include <string>
#include <vector>

#include "calibrate/evidence/evidence.hpp"

namespace ridge {

/// One measured figure of a run.
struct NoiseSample {
  std::string figure;         // "TPOT"
  std::string configuration;  // equal where a prediction cannot differ
  std::string engine;
  double value = 0;
};

/// Runs with the same of everything that was said about them, but for what was measured: also the engine's version and the
/// month.
std::string configuration_of(const ServingRow& row);

/// How far a run lies from what its configuration gives on average, as a share.
struct NoiseLine {
  std::string figure, name;  // name: "all", or an engine
  std::size_t configurations = 0, runs = 0;
  double median = 0, mean = 0, p90 = 0;
};

/// A line for all engines and one for each, by figure; none where nothing was measured twice. A run's distance is
/// |ln(value) - mean of ln| · √(n / (n - 1)): the mean of n runs has followed each of them by a part.
std::vector<NoiseLine> noise_of(const std::vector<NoiseSample>& samples);

}  // namespace ridge
