#include "serve/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "serve/readings.hpp"

namespace ridge {

namespace {

using Box = std::vector<RangedInput>;
using OutputBounds = std::array<Interval, kDecodeOutputs>;
using Wanted = std::array<bool, kDecodeOutputs>;

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

Box middle_of(Box box) {
  for (RangedInput& range : box) range.values = Interval(range.values.low + range.values.width() / 2);
  return box;
}

/// The mean value theorem: the figure at the middle of the box, plus every slope times the distance from there.
OutputBounds around_middle(const DecodeCase<double>& c, const Box& box, const std::vector<OutputBounds>& slopes) {
  const Box middle = middle_of(box);
  OutputBounds bounds = evaluate(c, middle);
  for (std::size_t i = 0; i < box.size(); ++i) {
    for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
      bounds[output] = bounds[output] + slopes[i][output] * (box[i].values - middle[i].values);
    }
  }
  return bounds;
}

Interval common(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

bool is_monotone(const std::vector<OutputBounds>& slopes, std::size_t output) {
  return std::all_of(slopes.begin(), slopes.end(),
                     [&](const OutputBounds& along) { return along[output].low >= 0.0 || along[output].high <= 0.0; });
}

/// The input to halve next: the one that the open figures' uncertainty comes from. By the mean value theorem each input
/// adds its slope's width times its own; a figure's shares over the inputs sum to one, so that every figure has one vote.
std::size_t most_uncertain(const Box& box, const std::vector<OutputBounds>& slopes, const Wanted& open) {
  std::vector<double> votes(box.size(), 0.0);
  for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
    if (!open[output]) continue;
    const auto share = [&](std::size_t i) {
      const Interval& values = box[i].values;
      const double part = slopes[i][output].width() * values.width();
      return std::isfinite(part) ? part : 1e300 * (values.width() / std::max(1e-300, std::fabs(values.high)));
    };
    double sum = 0.0;
    for (std::size_t i = 0; i < box.size(); ++i) sum += share(i);
    if (!(sum > 0.0)) continue;
    for (std::size_t i = 0; i < box.size(); ++i) votes[i] += share(i) / sum;
  }
  return static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

/// Branch and bound: a box is halved only while it might still move the answer.
class Bounder {
 public:
  explicit Bounder(const DecodeCase<double>& c) : case_(c) {
    reached_.fill(Interval(std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()));
  }

  void sample(const Box& point) {
    const OutputBounds values = evaluate(case_, point);
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      reached_[i] = {std::min(reached_[i].low, values[i].high), std::max(reached_[i].high, values[i].low)};
    }
  }

  OutputBounds bound(const Box& box, int boxes, const Wanted& wanted) {
    OutputBounds result = evaluate(case_, box);
    std::vector<OutputBounds> slopes;
    for (const RangedInput& range : box) slopes.push_back(slopes_along(case_, box, range.index));
    sample(middle_of(box));
    const OutputBounds centred = around_middle(case_, box, slopes);
    Wanted open{};
    for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
      if (!wanted[output]) continue;
      result[output] = common(result[output], centred[output]);
      if (is_monotone(slopes, output)) {
        result[output] = common(result[output], at_corners(box, slopes, output));
      } else {
        open[output] = boxes > 1 && matters(output, result[output]);
      }
    }
    if (std::none_of(open.begin(), open.end(), [](bool is_open) { return is_open; })) return result;
    split(box, most_uncertain(box, slopes, open), boxes / 2, open, result);
    return result;
  }

  // A bound that reaches less than a thousandth beyond what points of the box attain is as good as exact.
  bool matters(std::size_t output, const Interval& bounds) const {
    const Interval& reached = reached_[output];
    const double slack = 1e-3 * std::max(reached.width(), 1e-9 * std::fabs(reached.high));
    return bounds.low < reached.low - slack || bounds.high > reached.high + slack;
  }

 private:
  Interval at_corners(const Box& box, const std::vector<OutputBounds>& slopes, std::size_t output) {
    const Box low = corner(box, slopes, output, false), high = corner(box, slopes, output, true);
    sample(low);
    sample(high);
    return {evaluate(case_, low)[output].low, evaluate(case_, high)[output].high};
  }

  void split(const Box& box, std::size_t along, int boxes, const Wanted& open, OutputBounds& result) {
    const Interval values = box[along].values;
    const double middle = values.low + values.width() / 2;
    Box left = box, right = box;
    left[along].values = {values.low, middle};
    right[along].values = {middle, values.high};
    const OutputBounds of_left = bound(left, boxes, open);
    const OutputBounds of_right = bound(right, boxes, open);
    for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
      if (!open[output]) continue;
      const Interval either{std::min(of_left[output].low, of_right[output].low),
                            std::max(of_left[output].high, of_right[output].high)};
      result[output] = common(result[output], either);
    }
  }

  const DecodeCase<double>& case_;
  OutputBounds reached_;  // between the smallest and the largest value seen at a point
};

}  // namespace

OutputBounds bound_decode(const DecodeCase<double>& given, const std::vector<RangedInput>& ranges, int most_boxes) {
  if (ranges.empty()) return evaluate(given, {});
  DecodeCase<double> c = given;
  for (const RangedInput& range : ranges) mark_part(c.has, range.index);
  Wanted all{};
  all.fill(true);
  Bounder bounder(c);
  for (std::size_t ends = 0; ends < (std::size_t{1} << std::min<std::size_t>(ranges.size(), 10)); ++ends) {
    Box point = ranges;
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i].values = Interval((ends >> i & 1) != 0 ? ranges[i].values.high : ranges[i].values.low);
    }
    bounder.sample(point);
  }
  OutputBounds result = bounder.bound(ranges, 1, all);
  for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
    if (!bounder.matters(output, result[output])) continue;
    Wanted one{};  // each figure halves the box where it needs to
    one[output] = true;
    result[output] = bounder.bound(ranges, most_boxes / static_cast<int>(ranges.size()), one)[output];
  }
  return result;
}

}  // namespace ridge
