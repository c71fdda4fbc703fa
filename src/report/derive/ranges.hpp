#pragma once
// Figures over ranges of inputs, as a table: what each may be, and what it is here.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_list.hpp"
#include "base/number/dimension.hpp"
#include "base/number/interval.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct RangedFigure {
  std::string_view key;
  Dimension dimension;
  double here = 0;
  Interval bounds;
};

/// The figures of an estimate, each with its bounds.
template <template <class> class Estimate, class Bounds>
std::vector<RangedFigure> ranged_figures(const Estimate<double>& estimate, const Bounds& bounds) {
  static constexpr auto kRows = field_rows<Estimate>();
  const auto here = output_values(estimate);
  std::vector<RangedFigure> figures;
  for (std::size_t i = 0; i < kRows.size(); ++i)
    figures.push_back({kRows[i].info.key, kRows[i].dimension, here[i], bounds[i]});
  return figures;
}

/// How a number of a table is written.
using NumberText = std::function<std::string(double value, Dimension dimension)>;

/// Those that move; the others are said not to.
std::string ranges_text(const std::vector<RangedFigure>& figures, const Style& style);
std::string ranges_text(const std::vector<RangedFigure>& figures, const Style& style, const NumberText& text);

}  // namespace ridge::report
