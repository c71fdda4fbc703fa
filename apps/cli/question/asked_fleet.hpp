#pragma once
// The answer to a fleet's question, as `ridge plan` shows it, and `ridge host` and `ridge price` build on it.

#include <functional>

#include "cli/program.hpp"
#include "report/search/fleet_text.hpp"
#include "search/fleet/fleet_sold.hpp"

namespace ridge::cli {

struct AskedFleet {
  report::FleetReport report;
  int signal = 0;  // that ended it early

  bool holds() const { return !report.answer.fleets.empty() && report.answer.fleets.front().holds; }
};

/// Around a request that was read already: --rate, --slo and their kin, answered, with all that is said of the choice.
Result<AskedFleet> asked_fleet(const Arguments& arguments, PlanRequest request, Program& program);

/// Whether a command that builds on a fleet is asked for one.
bool asks_for_bought(const Arguments& arguments);

/// The fleet that `ridge plan` takes for --rate and --slo, for a command that works on it; what it leaves no room for is
/// refused.
Result<AskedFleet> bought_beside(const Arguments& arguments, std::initializer_list<std::string_view> no_room,
                                 Program& program);
/// Goes on with it; where nothing keeps the SLO, that is printed as a plan does.
Result<int> on_bought(const Arguments& arguments, std::initializer_list<std::string_view> no_room, Program& program,
                      const std::function<Result<int>(const AskedFleet&)>& go_on);

/// One of its replicas at its load.
Result<ServingAnswer> replica_of(const AskedFleet& fleet, const Library& library);

/// What `ridge plan` prints where nothing keeps the SLO, for commands that would have built on a fleet; exit code 4.
Result<int> print_no_fleet(const AskedFleet& fleet, const Arguments& arguments, const Program& program);

}  // namespace ridge::cli
