#pragma once
// Measured runs that belong on a planner's chart: the same model, precision, machine, engine and lengths, and no others.

#include <cstddef>
#include <vector>

#include "calibrate/evidence/evidence.hpp"
#include "library/library.hpp"
#include "search/plan/plan.hpp"

namespace ridge {

/// One run, where the planner's points are drawn.
struct MeasuredPoint {
  std::size_t machine = 0;  // place in PlanAnswer::machines
  double user_rate = 0;     // output tokens/s of a user
  double chip_rate = 0;     // output tokens/s of a chip
  double cost = 0;          // dollars an output token, at the plan's price of a chip
  const ServingRow* row = nullptr;
};

/// Credible runs without speculative decoding, in the order of the evidence. Disaggregated runs are not among them: their
/// rows are of the decode worker alone and have no rate of all chips.
std::vector<MeasuredPoint> measured_points(const PlanAnswer& plan, const Evidence& evidence, const Library& library);

}  // namespace ridge
