#pragma once
// Training's own numbers from measured steps; how far off they are is judge/training_judge.hpp.

#include <map>
#include <string>
#include <vector>

#include "calibrate/evidence/training_cases.hpp"
#include "calibrate/fit/least_squares.hpp"

namespace ridge {

struct TrainingFit {
  TrainingSet set;
  FitResult fit;
  std::map<std::string, double> rows;       // by framework
  std::map<std::string, double> chip_rows;  // by chip
};
/// Least squares over the measured steps (and their halves, where somebody timed them apart).
Result<TrainingFit> fit_training(const std::vector<const TrainingCase*>& cases, const Library& library);

/// What each framework keeps, from the peaks of its runs: kept activations and bytes of a logit, where ten rows speak.
Result<std::map<std::string, std::vector<FittedParameter>>> fit_training_memory(
    const std::vector<const TrainingCase*>& cases);

/// The fit as entries of catalog/calibration.
std::vector<CalibrationEntry> training_entries(const TrainingFit& fit, const Library& library);

}  // namespace ridge
