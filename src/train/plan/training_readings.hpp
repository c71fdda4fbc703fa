#pragma once
// A training step read otherwise: which numbers it hangs on, what its figures may be over ranges of them, and how its sums
// are made. Slopes are central differences of the whole estimate, schedule included; bounds are taken at the corners of
// the ranges and on a grid between them, which is enough where a figure rises or falls with each input, as these do.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/interval.hpp"
#include "train/step/training_estimate.hpp"

namespace ridge {

/// A number that a reading may move.
struct TrainingInput {
  std::string key, meaning;
  Dimension dimension;
  double value = 0;
};

/// Peaks, the calibrated numbers of training and of the framework, price and power; those that are zero are left out.
std::vector<TrainingInput> training_inputs(const TrainingGround& ground);
/// The ground with one of them replaced.
TrainingGround with_training_input(TrainingGround ground, std::string_view key, double value);

inline constexpr std::array<std::string_view, 6> kTrainingFigures = {"step", "rate", "mfu", "hfu", "run", "cost"};
/// In that order: s, tokens/s of a chip, shares, s, $ (0 where no tokens or no price are given).
std::array<double, 6> training_figures(const TrainingEstimate& estimate);
Dimension training_figure_dimension(std::size_t figure);

struct TrainingElasticity {
  std::string input;
  double step = 0, cost = 0;  // percent for one percent more of the input
};
/// The strongest on the step first; those that move nothing are left out.
std::vector<TrainingElasticity> training_sensitivity(const TrainingGround& ground, const TrainingLayout& layout);

struct TrainingRange {
  std::string key;
  Interval values;
};
std::array<Interval, 6> bound_training(const TrainingGround& ground, const TrainingLayout& layout,
                                       const std::vector<TrainingRange>& ranges);

/// One line: rate = batch / (chips · step) = 4.19M / (64 · 5.02 s) = 13,050.
struct StepLine {
  std::string symbol, formula, numbers;
  double value = 0;
  Dimension dimension;
};
/// From the figures down to the parts of a step.
std::vector<StepLine> derive_training(const TrainingGround& ground, const TrainingEstimate& estimate);

}  // namespace ridge
