#pragma once
// The first screen: an answer beside its bound in a dozen lines, and what to type next.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/evidence/nearest.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

/// Who types what next.
struct NextLine {
  std::string_view who, line;
};

std::string front_text(const ServingAnswer& answer, const std::optional<NearestRun>& nearest, std::string_view asked,
                       const std::vector<NextLine>& next, const Style& style);

}  // namespace ridge::report
