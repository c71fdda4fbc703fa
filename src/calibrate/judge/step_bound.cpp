#include "calibrate/judge/step_bound.hpp"

#include <algorithm>

namespace ridge {

namespace {

/// Only what peaks say is asked for; the calibrated part of the answer is not read.
ChipRates<double> peaks_alone(const Deployment& deployment) {
  ChipRates<double> rates;
  rates.peak = deployment.ground.numbers.peak;
  ChipCalibration<double>::visit_fields(
      rates.chip, [](std::string_view, auto& f) { f = std::remove_reference_t<decltype(f)>(1.0); });
  KernelCalibration<double>::visit_fields(
      rates.kernel, [](std::string_view, auto& f) { f = std::remove_reference_t<decltype(f)>(1.0); });
  return rates;
}

}  // namespace

double step_bound(const Deployment& deployment, const ServingLoad<double>& load) {
  const StepOperations& operations = deployment.decode.operations;
  const double share = operations.attention_data * operations.pipeline;
  StepLoad<double> step;
  step.sequences = std::max(1.0, std::min(load.concurrency.value(), load.capacity.value()) / share);
  step.new_tokens = 1;
  step.context = load.prompt;  // at least: the answer grows beside it
  return step_times(operations, peaks_alone(deployment), step).strict().value();
}

double prefill_bound(const Deployment& deployment, const ServingLoad<double>& load) {
  const StepOperations& operations = deployment.prefill.operations;
  StepLoad<double> step;
  step.decodes = false;
  step.prefills = true;
  step.prompts = 1;
  step.prefills_in_group = operations.attention_data;
  step.prompt_tokens = load.prompt.value() * (1 - load.cached.value());
  step.prompt_context = load.prompt * load.cached;
  return step_times(operations, peaks_alone(deployment), step).strict().value();
}

}  // namespace ridge
