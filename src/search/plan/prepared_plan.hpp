#pragma once
// A plan's search, prepared: all layouts of all grounds in one row, any stretch of which can be searched alone.

#include "search/plan/plan_ground.hpp"

namespace ridge {

struct PlanSpace {
  PlanRequest request;
  std::vector<PlanGround> grounds;
  std::vector<std::uint64_t> starts = {0};  // of each ground's layouts among all, and the end
  std::vector<PlanMachine> machines;
  std::vector<std::string> notes;
  std::string model_title;

  /// Layouts to search: stretches of 0 to size() - 1 are searched apart and merged.
  std::uint64_t size() const { return starts.back(); }
};

Result<PlanSpace> plan_space(const PlanRequest& request, const Library& library);

void search_layouts(const PlanSpace& space, std::uint64_t first, std::uint64_t count, PlanSearch& out);
/// The same with the request's threads.
PlanSearch search_with_threads(const PlanSpace& space, std::uint64_t first, std::uint64_t count);

/// What the search of all comes to.
PlanAnswer plan_answer(const PlanSpace& space, PlanSearch search);

/// Of all that the search hangs on: parts of one plan have the same.
std::string fingerprint(const PlanSpace& space);

}  // namespace ridge
