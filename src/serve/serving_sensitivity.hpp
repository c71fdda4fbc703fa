#pragma once
// Which number a serving answer hangs on: the same equations, differentiated.

#include <string>
#include <vector>

#include "serve/steady.hpp"

namespace ridge {

/// Percent change of the figures for one percent more of an input.
struct ServingElasticity {
  std::string input;
  double tpot = 0, ttft = 0, requests = 0;
};

/// For every peak, load and calibrated number, the strongest first. `prefill_operations`: of the chips that compute prompts.
std::vector<ServingElasticity> serving_sensitivity(const StepOperations& plan, const StepOperations& prefill_operations,
                                                   const ChipRates<double>& rates,
                                                   const EngineCalibration<double>& engine,
                                                   const ServingLoad<double>& load);

}  // namespace ridge
