#pragma once
// A case's figures over a box of its inputs, as BoxBounds asks for them: one reading for every set of equations whose
// fields are listed.

#include "base/field_list.hpp"
#include "base/number/box_bounds.hpp"
#include "base/number/dual.hpp"

namespace ridge {

template <class Case, class Estimate>
struct CaseFigures {
  const Case& c;
  Estimate estimate;  // of a case in any reading

  FigureBounds evaluate(const Box& box) const {
    const auto over = read_as<Interval>(
        c, [&](std::size_t index, const auto&, const auto&, double value) { return range_or(box, index, value); });
    const auto values = output_values(estimate(over));
    return {values.begin(), values.end()};
  }

  FigureBounds slopes(const Box& box, std::size_t direction) const {
    using Slope = BasicDual<Interval>;
    const auto over = read_as<Slope>(c, [&](std::size_t index, const auto&, const auto&, double value) {
      return Slope(range_or(box, index, value), Interval(index == direction ? 1.0 : 0.0));
    });
    FigureBounds slopes;
    for (const Slope& dual : output_values(estimate(over))) slopes.push_back(dual.slope);
    return slopes;
  }
};
template <class Case, class Estimate>
CaseFigures(const Case&, Estimate) -> CaseFigures<Case, Estimate>;

}  // namespace ridge
