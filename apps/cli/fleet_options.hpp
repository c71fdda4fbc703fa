#pragma once
// What `ridge plan` reads where it is asked for a fleet: a rate, nodes or a budget, and the SLO that they keep.

#include "cli/command.hpp"
#include "search/fleet/fleet.hpp"

namespace ridge::cli {

/// A rate, nodes or a budget was given.
bool asks_for_fleet(const Arguments& arguments);

/// --slo, or --ttft and --tpot, which are means; nothing where none was given.
Result<std::vector<SloTarget>> asked_slo(const Arguments& arguments);

/// --confidence; the usual one where none was given.
Result<double> asked_confidence(const Arguments& arguments);

/// Around a plan's request that was read already.
Result<FleetQuestion> fleet_question(const Arguments& arguments, PlanRequest request);

OptionGroup fleet_options();

}  // namespace ridge::cli
