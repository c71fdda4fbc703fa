#pragma once
// What `ridge plan` searches, as it is asked on the command line; `ridge host` and `ridge price` ask in the same words.

#include "cli/command.hpp"
#include "cli/program.hpp"
#include "search/plan/plan.hpp"

namespace ridge::cli {

Result<PlanRequest> plan_request(const Arguments& arguments, Program& program);

/// What `all` leaves out, said; empty where machines were named.
std::string left_out_of_all(const Arguments& arguments, const Library& library);

}  // namespace ridge::cli
