#pragma once
// Measured runs beside an answer: the nearest one, and those that belong on a plan's chart.

#include "calibrate/evidence/measured_points.hpp"
#include "calibrate/evidence/nearest.hpp"

namespace ridge::cli {

/// The nearest run: one on chips of the same maker where any of those has the model, else of the same kind (GPUs), else any.
std::optional<NearestRun> nearest_of_kind(const ServingAnswer& answer, const Evidence& evidence,
                                          const Library& library);

/// Runs on a plan's machines with its model, precision and engine, and with lengths within `kNearLength` of its own.
inline constexpr double kNearLength = 0.1;
std::vector<MeasuredPoint> measured_near(const PlanAnswer& plan, const Evidence& evidence, const Library& library);

}  // namespace ridge::cli
