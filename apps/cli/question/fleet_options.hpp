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

/// Those of a rate and its SLO alone: for commands that sell from the fleet.
OptionGroup bought_options();
/// What is about a fleet where none is asked for, refused; and options that a fleet leaves no room for.
Errors without_fleet(const Arguments& arguments, std::string_view missing = "slo");
/// The same for commands that read a request's lengths of a fleet alone.
Errors loads_without_fleet(const Arguments& arguments);
Errors beside_fleet(const Arguments& arguments, std::initializer_list<std::string_view> keys);

}  // namespace ridge::cli
