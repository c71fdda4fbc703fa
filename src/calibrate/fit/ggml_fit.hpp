#pragma once
// ggml's kernels fitted to llama.cpp's own benchmarks: one half of the rows is fitted, the other judges.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "calibrate/evidence/evidence.hpp"
#include "cost/ggml.hpp"
#include "library/library.hpp"
#include "serve/step/step.hpp"

namespace ridge {

/// A measured row, ready to be predicted with any numbers.
struct GgmlCase {
  GgmlRow row;
  StepOperations plan;
  ChipRates<double> rates;
  double batch = 2048;  // tokens of a prompt that the engine hands over at once
};

/// Nothing where the library lacks the model, the chip or the format.
std::optional<GgmlCase> ggml_case(const GgmlRow& row, const Library& library);

/// Seconds; `step_time` is the engine's own around a batch.
double predict_ggml(const GgmlCase& one, const GgmlCalibration& numbers, double step_time);

/// The same with what the library holds.
double predict_ggml(const GgmlCase& one, const Library& library);

/// Kernels on a GPU and on a CPU, and the engine around them; the errors are those of the other half.
Result<std::vector<CalibrationEntry>> fit_ggml(const std::vector<GgmlRow>& rows, const Library& library);

}  // namespace ridge
