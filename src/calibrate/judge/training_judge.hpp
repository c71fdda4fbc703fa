#pragma once
// What training's numbers predict for steps and memory that were not fitted.

#include <map>
#include <string>
#include <vector>

#include "calibrate/evidence/training_cases.hpp"

namespace ridge {

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
