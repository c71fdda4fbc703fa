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
inline constexpr std::array kCostParts = {
    CostPart{"weights", &StepCosts<double>::weights, "reading them"},
    CostPart{"context", &StepCosts<double>::context, "reading the cache"},
    CostPart{"compute", &StepCosts<double>::compute, "matrix work"},
    CostPart{"network", &StepCosts<double>::network, "between chips, not hidden"},
    CostPart{"below peak", &StepCosts<double>::below_peak, "kernels slower than the datasheet"},
    CostPart{"engine", &StepCosts<double>::engine, "around the kernels"},
    CostPart{"idle", &StepCosts<double>::idle, "chips for prompts that wait for one"}};

/// "-3%", and "-12x" where a percentage would be silly.
std::string signed_percent(double share);

/// "weights 30%, context 14%, ...": the parts that are there, in one line.
std::string parts_text(const StepCosts<double>& parts);

}  // namespace ridge::report
