#pragma once
// Engines, and what kernels cost inside a captured step, from measured serving runs.

#include <optional>

#include "calibrate/fit/kernel_fit.hpp"
#include "serve/deployment.hpp"

namespace ridge {

/// A measured run with everything resolved: evaluated thousands of times in a fit.
struct RunCase {
  const ServingRow* row = nullptr;
  Deployment deployment;
  ServingLoad<double> load;
  std::string chip, engine;

  const StepOperations& operations() const { return deployment.decode.operations; }
  const ChipPeaks<double>& peaks() const { return deployment.ground.numbers.peak; }
};

/// The engine's calibration a row belongs to: "vllm", "trtllm-1.0", ...
std::string engine_of(const ServingRow& row);

/// The case of a credible row; nothing, with the reason in `why`, for the others.
std::optional<RunCase> serving_case(const ServingRow& row, const Library& library, std::string& why);

/// Shares and times of a chip inside a captured step over those of kernels timed alone: one number for each field of
/// ChipCalibration, the same on all chips.
ChipCalibration<double> in_step(const ChipCalibration<double>& alone, std::span<const double> ratios);

struct ServingFit {
  CalibrationSet set;          // chips as inside a step
  std::vector<double> ratios;  // by field of ChipCalibration
  std::map<std::string, double> spread;
  std::map<std::string, ChipCalibration<double>> unmeasured;  // chips without kernels, as if timed alone
  FitResult fit;
};

/// `known`: chips whose kernels were timed. The others borrow from those, moved by two factors of their own.
Result<ServingFit> fit_serving(const std::vector<const RunCase*>& cases, const Library& known, const Priors& priors);

/// Where CalibrationSet::fresh has a run's.
std::string fresh_group(const RunCase& run);

/// The closed form of a run.
ServingTimes<double> times_of(const RunCase& serving, const CalibrationSet& set);

/// Seconds for a token, as the row measured it.
double predict_tpot(const RunCase& serving, const CalibrationSet& set);

/// Output tokens a second and chip, as the row measured them.
double predict_rate(const RunCase& serving, const CalibrationSet& set);

}  // namespace ridge
