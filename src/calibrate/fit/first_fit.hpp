#pragma once
// The first token, and what prompts add to the steps of others: engines' numbers for both, from measured serving runs.

#include "calibrate/fit/serving_fit.hpp"

namespace ridge {

/// The median where a row has it; benchmarks start with all requests at once, and their mean holds that.
double measured_ttft(const ServingRow& row);

/// Seconds to the first token, as measured_ttft is told.
double predict_ttft(const RunCase& serving, const CalibrationSet& set);

/// Whether a time to the first token can be predicted: every request has a place, and prompts leave time to spare.
bool has_ttft(const RunCase& serving, const CalibrationSet& set);

/// Seconds to the first token below which 99 % of a benchmark's requests stay that starts with all users at once: of that
/// burst, by the steps that compute its prompts.
double predict_late_ttft(const RunCase& serving, const CalibrationSet& set);

/// What says how long a run takes that says how it was sent: the closed form alone, or the simulation at the numbers found
/// so far, where the closed form tells what a number changes. Simulations take some ten times as long: leaving out does
/// without.
enum class FirstLevels { closed_form, simulated };

/// Fills EngineCalibration::first_time, first_token_time, prefill_factor, prefill_step_time and launch_time of the set,
/// and CalibrationSet::fresh; the rest as it is.
Result<FitResult> fit_first_time(const std::vector<const RunCase*>& cases, CalibrationSet& set, const Priors& priors,
                                 const Library& library, FirstLevels levels);

/// What is known of an engine's servers that were just started, by what fresh_kernels calls their kernels.
std::map<std::string, FreshTimes> fresh_of(const CalibrationSet& set, const std::string& engine);

}  // namespace ridge
