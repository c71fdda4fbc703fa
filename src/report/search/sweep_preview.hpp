#pragma once
// What a sweep would do (ridge sweep --dry-run): how many cases, the first and the last, the columns.

#include <string>
#include <vector>

#include "search/sweep/space.hpp"
#include "search/sweep/table.hpp"

namespace ridge::report {

struct SweepPlan {
  const Space* space = nullptr;
  bool serves = false;
  CaseRange range;  // the cases of this part
  std::vector<SweepColumn> columns;
  std::string format;
};

std::string plan_text(const SweepPlan& plan);
std::string plan_json(const SweepPlan& plan);

}  // namespace ridge::report
