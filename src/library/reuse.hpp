#pragma once
// How soon contexts are used again: the share of them that was, by the time since their last use.

#include <string>
#include <vector>

#include "base/number/units.hpp"
#include "base/provenance.hpp"

namespace ridge {

struct ReusePoint {
  Seconds<double> within{};
  Ratio<double> share{};
};

/// Rises from nothing at time zero; straight between its points; nothing is said beyond the last.
struct ReuseCurve {
  std::string name, title, note;
  Provenance from;
  std::vector<ReusePoint> points;
};

}  // namespace ridge
