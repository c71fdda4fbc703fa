#pragma once
// Who searches a plan: this process, all that mpirun started, or runs of parts whose files are put together.

#include "cli/program.hpp"
#include "search/plan/prepared_plan.hpp"

namespace ridge::cli {

/// What all processes and parts of one plan must have in common.
std::string fingerprint_of(const PlanSpace& work);

/// Process 0 under mpirun: the whole search, the others helping.
PlanSearch search_with_others(const PlanSpace& work);
/// The others.
void help_search(const PlanSpace& work);

/// --shard: searches one part and writes it to --out. The exit code.
Result<int> search_part(const PlanSpace& work, const Arguments& arguments);
/// --parts: the search that they make together.
Result<PlanSearch> joined_parts(const PlanSpace& work, const std::vector<std::string>& files);

}  // namespace ridge::cli
