// Do bounds over a box contain every point of it, and are they worth having?

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "roofline/bounds.hpp"
#include "roofline/random_case.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

using namespace ridge;

namespace {

using Box = std::vector<RangedInput>;
using Bounds = std::array<Interval, kDecodeOutputs>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One to three inputs, each a range of up to `widest` times its value; never more experts a token than there are.
Box random_box(testing::Draw& draw, const DecodeCase<double>& c, double widest) {
  const auto count = 1 + draw.below(3);
  const auto values = input_values(c);
  const auto experts = static_cast<std::size_t>(find_input("experts.count"));
  const auto per_token = static_cast<std::size_t>(find_input("experts.per_token"));
  Box box;
  while (box.size() < count) {
    const std::size_t index = draw.below(kDecodeInputs);
    if (std::any_of(box.begin(), box.end(), [&](const RangedInput& range) { return range.index == index; })) continue;
    const double low = values[index];
    double high = low == 0.0 ? draw.log_uniform(1e-6, 1e3) : low * draw.log_uniform(1.001, widest);
    if (input_info(index).domain == Domain::share) high = std::min(high, 1.0);
    if (index == per_token) high = std::min(high, values[experts]);
    box.push_back({index, Interval(low, high)});
  }
  return box;
}

/// The figures' extremes over a grid of the box, its corners and edges among the points.
Bounds sampled(const DecodeCase<double>& c, const Box& box, int steps) {
  Bounds range;
  range.fill(Interval(kInfinity, -kInfinity));
  std::vector<int> at(box.size(), 0);
  while (true) {
    DecodeCase<double> point = c;
    for (std::size_t i = 0; i < box.size(); ++i) {
      const Interval& values = box[i].values;
      const double x = at[i] == steps ? values.high : values.low + values.width() * at[i] / steps;
      point = with_input(point, box[i].index, x);
    }
    const auto outputs = output_values(estimate_decode(point));
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      range[i] = {std::min(range[i].low, outputs[i]), std::max(range[i].high, outputs[i])};
    }
    std::size_t digit = 0;
    while (digit < at.size() && ++at[digit] > steps) at[digit++] = 0;
    if (digit == at.size()) return range;
  }
}

int steps_for(const Box& box) { return box.size() == 1 ? 400 : box.size() == 2 ? 40 : 14; }

Bounds plain_bounds(DecodeCase<double> c, const Box& box) {
  for (const RangedInput& range : box) mark_part(c.has, range.index);
  return output_values(
      estimate_decode(read_as<Interval>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
        for (const RangedInput& range : box) {
          if (range.index == index) return range.values;
        }
        return Interval(value);
      })));
}

void log_box(const DecodeCase<double>& c, const Box& box) {
  RC_LOG() << c << "\n";
  for (const RangedInput& range : box)
    RC_LOG() << input_info(range.index).key << " in " << range.values.low << " .. " << range.values.high << "\n";
}

void must_contain(const Bounds& bounds, const Bounds& points, const char* how) {
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    if (bounds[i].contains(points[i].low) && bounds[i].contains(points[i].high)) continue;
    RC_LOG() << how << ": " << output_info(i).key << " bounded by " << bounds[i].low << " .. " << bounds[i].high
             << ", but sampled " << points[i].low << " .. " << points[i].high << "\n";
    RC_FAIL("a point lies outside its bounds");
  }
}

/// What an excess is measured against: the figure itself, or one for a share that may be next to nothing.
double size_of(std::size_t output, const Interval& points) {
  const double size = std::max(std::fabs(points.low), std::fabs(points.high));
  return output_info(output).key == "slow_saving" ? std::max(size, 1.0) : std::max(size, 1e-300);
}

}  // namespace

TEST_CASE("bounds contain every sampled point of any box") {
  CHECK(rc::check("plain interval evaluation and bound_decode enclose", [] {
    auto draw = testing::seeded_draw();
    auto c = testing::random_case(draw);
    if (draw.one_in(2)) c = testing::with_limits(c, draw, draw.one_in(3));
    const Box box = random_box(draw, c, 10);
    log_box(c, box);
    const Bounds points = sampled(c, box, box.size() == 1 ? 60 : box.size() == 2 ? 12 : 5);
    must_contain(plain_bounds(c, box), points, "plain");
    must_contain(bound_decode(c, box, 64), points, "bound_decode");
  }));
  CHECK(rc::check("and so they do where everything competes", [] {
    auto draw = testing::seeded_draw();
    const auto c = testing::balanced_case(draw);
    const Box box = random_box(draw, c, 3);
    log_box(c, box);
    const Bounds points = sampled(c, box, box.size() == 1 ? 60 : box.size() == 2 ? 12 : 5);
    must_contain(plain_bounds(c, box), points, "plain");
    must_contain(bound_decode(c, box, 64), points, "bound_decode");
  }));
}

TEST_CASE("bounds are hardly wider than the range they bound") {
  // Over 25 boxes of one to three ranges up to a factor 2 wide: at most 5 % of the sampled range and 5 % of the figure
  // more. Figures in which an input stands twice (mfu, fast_ceiling, slow_saving) are bounded piece by piece, and pieces
  // are finite; over 2,500 other boxes 2 of 97,500 figures were worse than this, by up to 13 % of the figure.
  constexpr int kBoxes = 25;
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= kBoxes; ++seed) {
    testing::Draw draw(seed);
    const auto c = testing::balanced_case(draw);
    const Box box = random_box(draw, c, 2);
    const Bounds points = sampled(c, box, steps_for(box));
    const Bounds bounds = bound_decode(c, box);
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      if (!std::isfinite(points[i].low) || !std::isfinite(points[i].high)) continue;
      const double excess = (bounds[i].width() - 1.05 * points[i].width()) / size_of(i, points[i]);
      worst = std::max(worst, excess);
      if (excess <= 0.05) continue;
      CAPTURE(seed);
      CAPTURE(output_info(i).key);
      FAIL_CHECK("bounded by ", bounds[i].low, " .. ", bounds[i].high, ", sampled ", points[i].low, " .. ",
                 points[i].high);
    }
  }
  MESSAGE("seeds 1 to ", kBoxes, ": widest bounds are 1.05 of the sampled range and ", 100 * worst, " % of the figure");
}
