#pragma once
// A fleet as JSON inside of another answer.

#include "report/base/json.hpp"
#include "search/fleet/fleet.hpp"

namespace ridge::report {

/// The first fleet, with the keys and the numbers that `ridge plan` has under "best".
Json bought_json(const FleetAnswer& answer);

}  // namespace ridge::report
