#include "serve/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "serve/readings.hpp"

namespace ridge {

namespace {

using Box = std::vector<RangedInput>;
using OutputBounds = std::array<Interval, kDecodeOutputs>;

const Interval* find_range(const Box& box, std::size_t index) {
  for (const RangedInput& range : box) {
    if (range.index == index) return &range.values;
  }
  return nullptr;
}

OutputBounds evaluate(const DecodeCase<double>& c, const Box& box) {
  const auto over = read_as<Interval>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
    const Interval* range = find_range(box, index);
    return range == nullptr ? Interval(value) : *range;
  });
  return output_values(estimate_decode(over));
}

OutputBounds slopes_along(const DecodeCase<double>& c, const Box& box, std::size_t direction) {
  using Slope = BasicDual<Interval>;
  const auto over = read_as<Slope>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
    const Interval* range = find_range(box, index);
    return Slope(range == nullptr ? Interval(value) : *range, Interval(index == direction ? 1.0 : 0.0));
  });
  OutputBounds slopes;
  const auto duals = output_values(estimate_decode(over));
  std::transform(duals.begin(), duals.end(), slopes.begin(), [](const Slope& dual) { return dual.slope; });
  return slopes;
}

/// The end of each range that makes an output smallest (or largest), given the signs of its slopes.
Box corner(const Box& box, const std::vector<OutputBounds>& slopes, std::size_t output, bool largest) {
  Box ends = box;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const bool rising = slopes[i][output].low >= 0.0;
    const Interval& values = box[i].values;
    ends[i].values = Interval(rising == largest ? values.high : values.low);
  }
  return ends;
}

bool is_monotone(const std::vector<OutputBounds>& slopes, std::size_t output) {
  return std::all_of(slopes.begin(), slopes.end(), [&](const OutputBounds& along) {
    return along[output].low >= 0.0 || along[output].high <= 0.0;
  });
}

std::size_t widest(const Box& box) {
  const auto relative = [](const RangedInput& range) {
    return range.values.width() / std::max(1e-300, std::fabs(range.values.high));
  };
  const auto it = std::max_element(box.begin(), box.end(),
                                   [&](const auto& a, const auto& b) { return relative(a) < relative(b); });
  return static_cast<std::size_t>(it - box.begin());
}

void bound(const DecodeCase<double>& c, const Box& box, int boxes, const std::array<bool, kDecodeOutputs>& wanted,
           OutputBounds& result) {
  const OutputBounds plain = evaluate(c, box);
  std::vector<OutputBounds> slopes;
  for (const RangedInput& range : box) slopes.push_back(slopes_along(c, box, range.index));
  std::array<bool, kDecodeOutputs> open{};
  for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
    if (!wanted[output]) continue;
    if (is_monotone(slopes, output)) {
      const double low = evaluate(c, corner(box, slopes, output, false))[output].low;
      const double high = evaluate(c, corner(box, slopes, output, true))[output].high;
      result[output] = {std::max(plain[output].low, low), std::min(plain[output].high, high)};
    } else {
      result[output] = plain[output];
      open[output] = boxes > 1 && !plain[output].is_point();
    }
  }
  if (std::none_of(open.begin(), open.end(), [](bool is_open) { return is_open; })) return;
  const std::size_t split = widest(box);
  const Interval values = box[split].values;
  const double middle = values.low + values.width() / 2;
  Box left = box, right = box;
  left[split].values = {values.low, middle};
  right[split].values = {middle, values.high};
  OutputBounds of_left, of_right;
  bound(c, left, boxes / 2, open, of_left);
  bound(c, right, boxes / 2, open, of_right);
  for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
    if (!open[output]) continue;
    result[output] = {std::max(result[output].low, std::min(of_left[output].low, of_right[output].low)),
                      std::min(result[output].high, std::max(of_left[output].high, of_right[output].high))};
  }
}

}  // namespace

OutputBounds bound_decode(const DecodeCase<double>& c, const std::vector<RangedInput>& ranges, int most_boxes) {
  OutputBounds result;
  std::array<bool, kDecodeOutputs> all{};
  all.fill(true);
  if (ranges.empty()) return evaluate(c, {});
  bound(c, ranges, most_boxes, all, result);
  return result;
}

}  // namespace ridge
