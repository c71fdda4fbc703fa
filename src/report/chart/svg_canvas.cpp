#include "report/chart/svg_canvas.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "report/chart/chart_svg_style.hpp"

namespace ridge::report::svg {

namespace {

constexpr double kGutterFrom = 0.88;  // series that end right of this fraction are labeled beside the plot

constexpr std::string_view kDashes[] = {"", "9 4", "2 3.5", "11 4 2 4", "18 5", "7 3 2 3 2 3", "4 3"};
constexpr std::size_t kDashCount = std::size(kDashes);

std::vector<Pen> pens_of(const std::vector<Series>& all) {
  std::vector<Pen> result;
  std::size_t next = 0;
  bool ink_taken = false;
  for (const Series& series : all) {
    Pen pen{"ink", kDashes[series.dashed ? 1 : 0], series.bold ? 3.5 : 2.0, ""};
    const bool measured = series.shape == Shape::measured;
    if (series.hue != Hue::next) {
      pen.color = series.hue == Hue::hbm ? "hbm" : series.hue == Hue::compute ? "compute" : "network";
    } else if (!measured && (!series.bold || ink_taken)) {
      pen.color = fmt::format("c{}", next % kSeriesColors);
      pen.dash = kDashes[series.dashed ? 1 + next % (kDashCount - 1) : next % kDashCount];
      ++next;
    }
    pen.words = fmt::format("fill-{}{}", pen.color, series.bold ? " strong" : "");
    ink_taken = ink_taken || (series.bold && series.hue == Hue::next);
    result.push_back(pen);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].like.empty()) continue;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (j != i && all[j].label.find(all[i].like) != std::string::npos && all[j].like.empty()) {
        result[i].color = result[j].color;
        result[i].words = fmt::format("fill-{}", result[j].color);
      }
    }
  }
  return result;
}

/// Leaves room for the tick labels at the left and the series labels at the right.
Box plot_box(const Canvas& canvas) {
  const Box& room = canvas.room;
  double left = canvas.chart.y.quiet ? 0.0 : 20.0, right = 12.0;
  for (const Tick& tick : canvas.y_ticks) left = std::max(left, width_of(tick.label));
  for (const End& end : canvas.gutter) {
    const Series& series = canvas.chart.series[end.series];
    right = std::max(right, 20.0 + width_of(series.label, series.bold));
  }
  left = room.x + (canvas.chart.y.quiet ? 0.0 : 10.0) + std::min(left, 100.0);
  return {left, room.y, room.x + room.width - std::min(right, 0.33 * room.width) - left, room.height};
}

}  // namespace

Canvas canvas_for(const Chart& chart, const Frame& frame, std::string id, const Box& room) {
  const int across = static_cast<int>(room.width / 100.0), up = static_cast<int>(room.height / 45.0);
  Canvas canvas{.chart = chart,
                .frame = frame,
                .id = std::move(id),
                .room = room,
                .x_ticks = chart.x.quiet ? std::vector<Tick>() : ticks(frame.x, chart.x.unit, std::max(across, 2)),
                .y_ticks = chart.y.quiet ? std::vector<Tick>() : ticks(frame.y, chart.y.unit, std::max(up, 2)),
                .pens = pens_of(chart.series)};
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    canvas.runs.push_back(drawable_runs(chart.series[i], chart));
    const Point* end = nullptr;
    for (const Run& run : canvas.runs.back()) {
      for (const Point& point : run) {
        if (end == nullptr || point.x >= end->x) end = &point;
      }
    }
    if (end == nullptr || chart.series[i].label.empty()) continue;
    const bool beside = frame.x.fraction(end->x) >= kGutterFrom && chart.series[i].shape != Shape::measured;
    (beside ? canvas.gutter : canvas.inner).push_back({*end, i});
  }
  canvas.plot = plot_box(canvas);
  return canvas;
}

std::string line_between(Point from, Point to, std::string_view attributes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", px(from.x), px(from.y), px(to.x), px(to.y),
                     attributes);
}

std::string text_at(Point at, std::string_view text, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", px(at.x), px(at.y), attributes, escaped(text));
}

/// Records a line, in pixels, as something words should not cover.
void avoid(Canvas& canvas, Point from, Point to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const int steps = 1 + static_cast<int>(length / 4.0);
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    canvas.inked.push_back({from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)});
  }
}

}  // namespace ridge::report::svg
