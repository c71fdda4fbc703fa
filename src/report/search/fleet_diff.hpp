#pragma once
// Two models on the fleets that a plan buys for them, side by side.

#include <string>

#include "report/search/fleet_text.hpp"
#include "report/serve/serving_diff.hpp"

namespace ridge::report {

/// What users see of each, how sure that is, and what it takes; a model that no fleet keeps the SLO with has no figures.
ServingDiff fleet_diff(const std::string& name_a, const FleetReport& a, const std::string& name_b,
                       const FleetReport& b);

}  // namespace ridge::report
