#pragma once
// Figures over ranges of inputs, as a table: what each may be, and what it is here.

#include <string>
#include <string_view>
#include <vector>

#include "base/dimension.hpp"
#include "base/interval.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct RangedFigure {
  std::string_view key;
  Dimension dimension;
  double here = 0;
  Interval bounds;
};

/// Those that move; the others are said not to.
std::string ranges_text(const std::vector<RangedFigure>& figures, const Style& style);

}  // namespace ridge::report
