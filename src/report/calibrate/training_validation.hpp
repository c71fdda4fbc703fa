#pragma once
// `ridge validate --train`: predicted training steps and memory against measured ones.

#include <string>
#include <vector>

#include "calibrate/judge/training_judge.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct TrainingValidationReport {
  std::string evidence;
  double rows = 0, judged = 0;
  std::map<std::string, std::size_t> left_out;
  TrainingValidation validation;
  std::vector<TrainingLine> without;  // fitted again without a chip or a model
};

std::string training_validation_text(const TrainingValidationReport& report, const Style& style);
std::string training_validation_json(const TrainingValidationReport& report);

}  // namespace ridge::report
