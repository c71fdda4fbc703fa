#pragma once
// Bounds of the figures of any equations over a box of inputs, from their interval and slope readings.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/number/interval.hpp"

namespace ridge {

/// An input that is only known to lie between two values.
struct RangedInput {
  std::size_t index = 0;  // in the equations' visit_inputs
  Interval values;
};

using Box = std::vector<RangedInput>;
using FigureBounds = std::vector<Interval>;

/// The range of an input, or the number it has in the case.
inline Interval range_or(const Box& box, std::size_t index, double value) {
  for (const RangedInput& range : box) {
    if (range.index == index) return range.values;
  }
  return Interval(value);
}

/// Branch and bound over the figures of `Equations`, which has
///   FigureBounds evaluate(const Box&) const;                       every figure over the box
///   FigureBounds slopes(const Box&, std::size_t direction) const;  their slopes along one input, over the box
/// An input that stands twice in an equation would widen plain interval arithmetic; so where the slopes show a figure to
/// be monotone over the box it is taken at its corners. Where they do not, the mean value theorem (the middle, plus slopes
/// times distances) narrows the result, and a box is halved only while it might still move the answer.
template <class Equations>
class BoxBounds {
 public:
  explicit BoxBounds(const Equations& equations) : equations_(equations) {}

  /// At most `most_boxes` pieces a figure, fewer with more ranges, which make each piece dearer.
  FigureBounds over(const Box& ranges, int most_boxes) {
    if (ranges.empty()) return equations_.evaluate({});
    sample_corners(ranges);
    const std::size_t figures = reached_.size();
    FigureBounds result = bound(ranges, 1, Wanted(figures, true));
    for (std::size_t figure = 0; figure < figures; ++figure) {
      if (!matters(figure, result[figure])) continue;
      Wanted one(figures, false);  // each figure halves the box where it needs to
      one[figure] = true;
      result[figure] = bound(ranges, most_boxes / static_cast<int>(ranges.size()), one)[figure];
    }
    return result;
  }

 private:
  using Wanted = std::vector<bool>;
  using Slopes = std::vector<FigureBounds>;  // of every range

  void sample_corners(const Box& ranges) {
    for (std::size_t ends = 0; ends < (std::size_t{1} << std::min<std::size_t>(ranges.size(), 10)); ++ends) {
      Box point = ranges;
      for (std::size_t i = 0; i < point.size(); ++i) {
        point[i].values = Interval((ends >> i & 1) != 0 ? ranges[i].values.high : ranges[i].values.low);
      }
      sample(point);
    }
  }

  void sample(const Box& point) {
    const FigureBounds values = equations_.evaluate(point);
    constexpr double kBeyond = std::numeric_limits<double>::infinity();
    if (reached_.empty()) reached_.assign(values.size(), Interval(kBeyond, -kBeyond));
    for (std::size_t i = 0; i < values.size(); ++i) {
      reached_[i] = {std::min(reached_[i].low, values[i].high), std::max(reached_[i].high, values[i].low)};
    }
  }

  FigureBounds bound(const Box& box, int boxes, const Wanted& wanted) {
    FigureBounds result = equations_.evaluate(box);
    Slopes slopes;
    for (const RangedInput& range : box) slopes.push_back(equations_.slopes(box, range.index));
    sample(middle_of(box));
    const FigureBounds centerd = around_middle(box, slopes);
    Wanted open(result.size(), false);
    for (std::size_t figure = 0; figure < result.size(); ++figure) {
      if (!wanted[figure]) continue;
      result[figure] = common(result[figure], centerd[figure]);
      if (is_monotone(slopes, figure)) {
        result[figure] = common(result[figure], at_corners(box, slopes, figure));
      } else {
        open[figure] = boxes > 1 && matters(figure, result[figure]);
      }
    }
    if (std::none_of(open.begin(), open.end(), [](bool is_open) { return is_open; })) return result;
    split(box, most_uncertain(box, slopes, open), boxes / 2, open, result);
    return result;
  }

  // A bound that reaches less than a thousandth beyond what points of the box attain is as good as exact.
  bool matters(std::size_t figure, const Interval& bounds) const {
    const Interval& reached = reached_[figure];
    const double slack = 1e-3 * std::max(reached.width(), 1e-9 * std::fabs(reached.high));
    return bounds.low < reached.low - slack || bounds.high > reached.high + slack;
  }

  Interval at_corners(const Box& box, const Slopes& slopes, std::size_t figure) {
    const Box low = corner(box, slopes, figure, false), high = corner(box, slopes, figure, true);
    sample(low);
    sample(high);
    return {equations_.evaluate(low)[figure].low, equations_.evaluate(high)[figure].high};
  }

  void split(const Box& box, std::size_t along, int boxes, const Wanted& open, FigureBounds& result) {
    const Interval values = box[along].values;
    const double middle = values.low + values.width() / 2;
    Box left = box, right = box;
    left[along].values = {values.low, middle};
    right[along].values = {middle, values.high};
    const FigureBounds of_left = bound(left, boxes, open);
    const FigureBounds of_right = bound(right, boxes, open);
    for (std::size_t figure = 0; figure < result.size(); ++figure) {
      if (!open[figure]) continue;
      const Interval either{std::min(of_left[figure].low, of_right[figure].low),
                            std::max(of_left[figure].high, of_right[figure].high)};
      result[figure] = common(result[figure], either);
    }
  }

  /// The end of each range that makes a figure smallest (or largest), given the signs of its slopes.
  static Box corner(const Box& box, const Slopes& slopes, std::size_t figure, bool largest) {
    Box ends = box;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const bool rising = slopes[i][figure].low >= 0.0;
      const Interval& values = box[i].values;
      ends[i].values = Interval(rising == largest ? values.high : values.low);
    }
    return ends;
  }

  static Box middle_of(Box box) {
    for (RangedInput& range : box) range.values = Interval(range.values.low + range.values.width() / 2);
    return box;
  }

  /// The mean value theorem: the figure at the middle of the box, plus every slope times the distance from there.
  FigureBounds around_middle(const Box& box, const Slopes& slopes) const {
    const Box middle = middle_of(box);
    FigureBounds bounds = equations_.evaluate(middle);
    for (std::size_t i = 0; i < box.size(); ++i) {
      for (std::size_t figure = 0; figure < bounds.size(); ++figure) {
        bounds[figure] = bounds[figure] + slopes[i][figure] * (box[i].values - middle[i].values);
      }
    }
    return bounds;
  }

  static Interval common(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

  static bool is_monotone(const Slopes& slopes, std::size_t figure) {
    return std::all_of(slopes.begin(), slopes.end(), [&](const FigureBounds& along) {
      return along[figure].low >= 0.0 || along[figure].high <= 0.0;
    });
  }

  /// The input to halve next: the one that the open figures' uncertainty comes from. By the mean value theorem each input
  /// adds its slope's width times its own; a figure's shares over the inputs sum to one, so that every figure has one
  /// vote.
  static std::size_t most_uncertain(const Box& box, const Slopes& slopes, const Wanted& open) {
    std::vector<double> votes(box.size(), 0.0);
    for (std::size_t figure = 0; figure < open.size(); ++figure) {
      if (!open[figure]) continue;
      const auto share = [&](std::size_t i) {
        const Interval& values = box[i].values;
        const double part = slopes[i][figure].width() * values.width();
        return std::isfinite(part) ? part : 1e300 * (values.width() / std::max(1e-300, std::fabs(values.high)));
      };
      double sum = 0.0;
      for (std::size_t i = 0; i < box.size(); ++i) sum += share(i);
      if (!(sum > 0.0)) continue;
      for (std::size_t i = 0; i < box.size(); ++i) votes[i] += share(i) / sum;
    }
    return static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  }

  const Equations& equations_;
  FigureBounds reached_;  // between the smallest and the largest value seen at a point
};

}  // namespace ridge
