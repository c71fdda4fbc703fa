#pragma once
// Measured runs that belong on a planner's chart: the same model, precision, machine, engine, nearly the same lengths.

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

/// So far lengths may be from those of the plan, as a share of them.
inline constexpr double kNearLength = 0.1;

/// Credible runs without speculative decoding, by length. Disaggregated runs are among them where their rate over the chips
/// of both pools is known.
std::vector<MeasuredPoint> measured_points(const PlanAnswer& plan, const Evidence& evidence, const Library& library);

}  // namespace ridge
