#pragma once
// The measured run beside an answer.

#include "calibrate/evidence/nearest.hpp"

namespace ridge::cli {

/// The nearest run: one on chips of the same maker where any of those has the model, else of the same kind (GPUs), else any.
std::optional<NearestRun> nearest_of_kind(const ServingAnswer& answer, const Evidence& evidence,
                                          const Library& library);

}  // namespace ridge::cli
