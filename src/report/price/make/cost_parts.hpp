#pragma once
// Where the cost of a token goes, in words.

#include <array>
#include <string>

#include "price/make/step_costs.hpp"

namespace ridge::report {

struct CostPart {
  const char* name;
  Seconds<double> StepCosts<double>::*time;
  const char* what;
};
inline constexpr std::array kCostParts = {CostPart{"weights", &StepCosts<double>::weights, "HBM reads"},
                                          CostPart{"KV cache", &StepCosts<double>::context, "HBM reads"},
                                          CostPart{"compute", &StepCosts<double>::compute, "matrix units"},
                                          CostPart{"network", &StepCosts<double>::network, "not overlapped"},
                                          CostPart{"below peak", &StepCosts<double>::below_peak, "below datasheet"},
                                          CostPart{"overhead", &StepCosts<double>::engine, "CPU, engine"},
                                          CostPart{"idle", &StepCosts<double>::idle, "idle prefill chips"}};

/// "-3%", and "-12x" where a percentage would be silly.
std::string signed_percent(double share);

/// "weights 30%, KV cache 14%, ...": the parts that are there, in one line.
std::string parts_text(const StepCosts<double>& parts);

}  // namespace ridge::report
