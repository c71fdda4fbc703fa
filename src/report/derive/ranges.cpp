#include "report/derive/ranges.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/unit_text.hpp"

namespace ridge::report {

std::string ranges_text(const std::vector<RangedFigure>& figures, const Style& style) {
  return ranges_text(figures, style, [](double value, Dimension dimension) { return show(value, dimension); });
}

std::string ranges_text(const std::vector<RangedFigure>& figures, const Style& style, const NumberText& text) {
  std::string out = dim(style, fmt::format("  {} {} {} {}\n", padded("figure", 22), padded("from", 16, true),
                                           padded("here", 16, true), padded("to", 16, true)));
  for (const RangedFigure& one : figures) {
    const bool moves = one.bounds.width() > 1e-9 * std::fabs(one.here);
    if (!moves && !std::isinf(one.bounds.high)) continue;
    if (std::isinf(one.bounds.low) && std::isinf(one.here)) continue;
    const auto number = [&](double value) { return padded(text(value, one.dimension), 16, true); };
    out += fmt::format("  {} {} {} {}\n", padded(one.key, 22), number(one.bounds.low), number(one.here),
                       number(one.bounds.high));
  }
  return out + "figures not listed do not depend on the ranged inputs\n";
}

}  // namespace ridge::report
