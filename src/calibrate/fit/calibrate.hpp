#pragma once
// From evidence to the entries of catalog/calibration, and back to the sets that predictions use.

#include "calibrate/fit/serving_fit.hpp"

namespace ridge {

/// What was believed before the rows: catalog/calibration/prior.toml.
Priors priors_of(const Library& library);

/// The catalog's numbers for kernels timed alone, and inside a step.
CalibrationSet kernels_set(const Library& library);
CalibrationSet serving_set(const Library& library);

/// Rows of the sets that serving is fitted to: aggregated runs of InferenceX, InferenceMAX and Dynamo.
struct RunCases {
  std::vector<RunCase> cases;
  std::map<std::string, std::size_t> left_out;  // by reason
};
RunCases serving_cases(const std::vector<ServingRow>& rows, const Library& library);

/// Both fits, as catalog entries.
Result<std::vector<CalibrationEntry>> calibrate(const Evidence& evidence, const Library& library);

}  // namespace ridge
