#include "report/derive/ranges.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/unit_text.hpp"

namespace ridge::report {

std::string ranges_text(const std::vector<RangedFigure>& figures, const Style& style) {
  std::string out = dim(style, fmt::format("  {} {} {} {}\n", padded("figure", 22), padded("from", 16, true),
                                           padded("here", 16, true), padded("to", 16, true)));
  for (const RangedFigure& one : figures) {
    const bool moves = one.bounds.width() > 1e-9 * std::fabs(one.here);
    if (!moves && !std::isinf(one.bounds.high)) continue;
    if (std::isinf(one.bounds.low) && std::isinf(one.here)) continue;
    out += fmt::format("  {} {} {} {}\n", padded(one.key, 22), padded(show(one.bounds.low, one.dimension), 16, true),
                       padded(show(one.here, one.dimension), 16, true),
                       padded(show(one.bounds.high, one.dimension), 16, true));
  }
  return out + "figures not listed do not depend on the ranged inputs\n";
}

}  // namespace ridge::report
