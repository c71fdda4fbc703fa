#pragma once
// The answer of `ridge demand`: screen, chart, JSON.

#include <string>

#include "price/money/demand.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/fleet/fleet.hpp"

namespace ridge::report {

/// `fleet`: what the answer stands on, where a rate was given.
std::string demand_text(const DemandAnswer& answer, const Style& style, const FleetAnswer* fleet = nullptr);
std::string demand_json(const DemandAnswer& answer, const FleetAnswer* fleet = nullptr);
/// Cost of a token against total over active parameters at the same quality, a line for each number of users.
Chart demand_chart(const DemandAnswer& answer);

}  // namespace ridge::report
