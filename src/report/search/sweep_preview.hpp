#pragma once
// What a sweep would do (ridge sweep --dry-run): how many cases, the first and the last, the columns.

#include <string>
#include <vector>

#include "search/sweep/space.hpp"
#include "search/sweep/table.hpp"

namespace ridge::report {

struct SweepPreview {
  const Space* space = nullptr;
  std::string question = "roofline";  // or serving, or simulated
  CaseRange range;                    // the cases of this part
  std::vector<SweepColumn> columns;
  std::string format;
};

std::string sweep_preview_text(const SweepPreview& preview);
std::string sweep_preview_json(const SweepPreview& preview);

}  // namespace ridge::report
