#pragma once
// A plan's search, prepared: all layouts of all grounds in one row, from which threads take.

#include "search/plan/plan_ground.hpp"

namespace ridge {

struct PlanSpace {
  PlanRequest request;
  std::vector<PlanGround> grounds;
  std::vector<std::uint64_t> starts = {0};  // of each ground's layouts among all, and the end
  std::vector<PlanMachine> machines, prefill_machines;
  std::vector<std::string> notes;
  std::string model_title;

  /// Layouts to search.
  std::uint64_t size() const { return starts.back(); }
};

Result<PlanSpace> plan_space(const PlanRequest& request, const Library& library);

/// All of them, with the request's threads: any number finds the same.
PlanSearch search_all(const PlanSpace& space);

/// What the search of all comes to.
PlanAnswer plan_answer(const PlanSpace& space, PlanSearch search);

}  // namespace ridge
