#pragma once
// Training's own numbers from measured steps, and what they predict for steps and memory that were not fitted.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "calibrate/evidence/training_evidence.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "library/library.hpp"
#include "train/step/training_estimate.hpp"

namespace ridge {

/// A row with everything that does not depend on training's numbers.
struct TrainingCase {
  TrainingRow row;
  const Model* model = nullptr;
  TrainingGround ground;
  TrainingLayout layout;
  TrainingOperations operations;
  std::vector<StageLayers> stages;
  HeldParams held;
};

struct TrainingCases {
  std::deque<Model> shapes;  // of models that no catalog has
  std::vector<TrainingCase> cases;
  std::map<std::string, std::size_t> left_out;  // by reason
};
/// Those that the equations are about.
TrainingCases training_cases(const std::vector<TrainingRow>& rows, const Library& library,
                             const std::vector<NumbersEntry>& recipes);

/// Training's numbers and those of every framework by name.
struct TrainingSet {
  TrainingCalibration<double> training;
  std::map<std::string, FrameworkCalibration<double>> frameworks;
  std::map<std::string, double> chips;  // time of all kernels over the usual
};
TrainingSet training_set(const Library& library);

TrainingTimes<double> predict_training(const TrainingCase& one, const TrainingSet& set);

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

/// One figure against its measurement.
struct TrainingError {
  const TrainingCase* of = nullptr;
  double predicted = 0, measured = 0;
  double ratio() const { return predicted / measured - 1; }
};

struct TrainingLine {
  std::string group, name;
  double rows = 0, mean = 0, bias = 0, worst = 0;  // mean |error|, mean error, largest |error|
};
TrainingLine error_line(std::string group, std::string name, const std::vector<TrainingError>& errors);

struct TrainingValidation {
  std::vector<TrainingLine> lines;
  std::vector<TrainingError> steps;                           // of the rows that judge
  std::map<std::string, std::vector<TrainingError>> figures;  // all that was judged, by what it is
  double worked = 0, accepted = 0, crashed = 0, flagged = 0;  // layouts by whether they are said to fit
};
/// Rows whose half is "judge", with the library's numbers.
TrainingValidation validate_training(const TrainingCases& cases, const Library& library);

/// Fitted again without each chip, or each model, in turn; all rows of what is left out judge.
Result<std::vector<TrainingLine>> leave_out_training(const TrainingCases& cases, const Library& library, bool chips);

}  // namespace ridge
