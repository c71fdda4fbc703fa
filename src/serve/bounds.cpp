#include "serve/bounds.hpp"

#include <algorithm>

#include "serve/readings.hpp"

namespace ridge {

namespace {

struct DecodeFigures {
  const DecodeCase<double>& c;

  FigureBounds evaluate(const Box& box) const {
    const auto over = read_as<Interval>(
        c, [&](std::size_t index, const InputInfo&, Dimension, double value) { return range_or(box, index, value); });
    const auto values = output_values(estimate_decode(over));
    return {values.begin(), values.end()};
  }

  FigureBounds slopes(const Box& box, std::size_t direction) const {
    using Slope = BasicDual<Interval>;
    const auto over = read_as<Slope>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
      return Slope(range_or(box, index, value), Interval(index == direction ? 1.0 : 0.0));
    });
    FigureBounds slopes;
    for (const Slope& dual : output_values(estimate_decode(over))) slopes.push_back(dual.slope);
    return slopes;
  }
};

}  // namespace

std::array<Interval, kDecodeOutputs> bound_decode(const DecodeCase<double>& given,
                                                  const std::vector<RangedInput>& ranges, int most_boxes) {
  DecodeCase<double> c = given;
  for (const RangedInput& range : ranges) mark_part(c.has, range.index);
  const DecodeFigures figures{c};
  const FigureBounds bounds = BoxBounds(figures).over(ranges, most_boxes);
  std::array<Interval, kDecodeOutputs> result;
  std::copy(bounds.begin(), bounds.end(), result.begin());
  return result;
}

}  // namespace ridge
