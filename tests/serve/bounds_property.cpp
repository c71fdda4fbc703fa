// Do bounds over a box contain every point of it, and are they worth having?

#include "serve/bounds.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstdio>
#include <limits>
#include <vector>

#include "serve/random_case.hpp"
#include "serve/readings.hpp"
#include "serve/scenario.hpp"

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

Bounds plain_bounds(const DecodeCase<double>& c, const Box& box) {
  return output_values(estimate_decode(read_as<Interval>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
    for (const RangedInput& range : box) {
      if (range.index == index) return range.values;
    }
    return Interval(value);
  })));
}

void log_box(const DecodeCase<double>& c, const Box& box) {
  RC_LOG() << c << "\n";
  for (const RangedInput& range : box) RC_LOG() << input_info(range.index).key << " in " << range.values.low << " .. " << range.values.high << "\n";
}

void must_contain(const Bounds& bounds, const Bounds& points, const char* how) {
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    if (bounds[i].contains(points[i].low) && bounds[i].contains(points[i].high)) continue;
    RC_LOG() << how << ": " << output_info(i).key << " bounded by " << bounds[i].low << " .. " << bounds[i].high << ", but sampled "
             << points[i].low << " .. " << points[i].high << "\n";
    RC_FAIL("a point lies outside its bounds");
  }
}

/// Width of the bounds over that of the sampled range; 1 where both are points but for rounding.
double width_ratio(const Interval& bounds, const Interval& points) {
  const double size = std::max(std::fabs(points.low), std::fabs(points.high));
  // a range narrower than the rounding of the figure's parts is a point
  const double tiny = 1e-9 * size + 1e-300;
  return (bounds.width() + tiny) / (points.width() + tiny);
}

}  // namespace

TEST_CASE("bounds contain every sampled point of any box") {
  CHECK(rc::check("plain interval evaluation and bound_decode enclose", [] {
    auto draw = testing::seeded_draw();
    const auto c = testing::random_case(draw);
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
  CHECK(rc::check("bound_decode is at most 5 % wider than a dense sample of the box", [] {
    auto draw = testing::seeded_draw();
    const auto c = testing::balanced_case(draw);
    const Box box = random_box(draw, c, 2);
    log_box(c, box);
    const Bounds points = sampled(c, box, steps_for(box));
    const Bounds bounds = bound_decode(c, box);
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      if (!std::isfinite(points[i].low) || !std::isfinite(points[i].high)) continue;
      const double ratio = width_ratio(bounds[i], points[i]);
      if (std::getenv("RIDGE_RATIOS") != nullptr) {
        std::printf("ratio %zu %.*s %.6g", box.size(), static_cast<int>(output_info(i).key.size()), output_info(i).key.data(), ratio);
        for (const RangedInput& r : box) std::printf(" %.*s", static_cast<int>(input_info(r.index).key.size()), input_info(r.index).key.data());
        std::printf("\n");
      }
      if (ratio <= 1.05) continue;
      RC_LOG() << output_info(i).key << " bounded by " << bounds[i].low << " .. " << bounds[i].high << ", sampled " << points[i].low
               << " .. " << points[i].high << ", ratio " << ratio << "\n";
      if (std::getenv("RIDGE_RATIOS") == nullptr) RC_FAIL("bounds too wide");
    }
  }));
}
