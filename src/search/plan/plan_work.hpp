#pragma once
// A plan's search, prepared: all layouts of all grounds in one row, any stretch of which can be searched alone.

#include "search/plan/plan_ground.hpp"

namespace ridge {

class PlanWork {
 public:
  static Result<PlanWork> prepare(const PlanRequest& request, const Library& library);

  /// Layouts to search: stretches of 0 to size() - 1 are searched apart and merged.
  std::uint64_t size() const { return starts_.back(); }
  void search(std::uint64_t first, std::uint64_t count, PlanSearch& out) const;
  /// The same with the request's threads.
  PlanSearch search_with_threads(std::uint64_t first, std::uint64_t count) const;
  PlanSearch search_all() const { return search_with_threads(0, size()); }
  /// What the search of all comes to.
  PlanAnswer answer(PlanSearch search) const;
  const PlanRequest& request() const { return request_; }
  /// Of all that the search hangs on: parts of one plan have the same.
  std::string fingerprint() const;

 private:
  class Searcher;

  PlanRequest request_;
  std::vector<PlanGround> grounds_;
  std::vector<std::uint64_t> starts_ = {0};  // of each ground's layouts among all, and the end
  std::vector<PlanMachine> machines_;
  std::vector<std::string> notes_;
  std::string model_title_;
};

}  // namespace ridge
