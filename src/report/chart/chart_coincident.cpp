#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/chart/chart.hpp"
#include "report/chart/chart_axis.hpp"

namespace ridge::report {

namespace {

constexpr double kEye = 0.005;  // of the height of the plot: less than a line is thick

/// Whether a point lies on some segment of a curve, as closely as an eye can tell.
bool touches(const std::vector<Run>& curve, const Frame& axes, const Point& point) {
  const double along = axes.x.fraction(point.x), up = axes.y.fraction(point.y);
  for (const Run& run : curve) {
    for (std::size_t i = 0; i + 1 < run.size(); ++i) {
      const double from = axes.x.fraction(run[i].x), to = axes.x.fraction(run[i + 1].x);
      if (along < std::min(from, to) - kEye || along > std::max(from, to) + kEye) continue;
      const double start = axes.y.fraction(run[i].y), end = axes.y.fraction(run[i + 1].y);
      const double share = std::clamp(to == from ? 0.0 : (along - from) / (to - from), 0.0, 1.0);
      const bool upright = std::abs(to - from) < kEye;
      const double low = upright ? std::min(start, end) : start + share * (end - start);
      const double high = upright ? std::max(start, end) : low;
      if (up >= low - kEye && up <= high + kEye) return true;
    }
  }
  return false;
}

bool lies_on(const std::vector<Run>& one, const std::vector<Run>& other, const Frame& axes) {
  bool any = false;
  for (const Run& run : one) {
    for (const Point& point : run) {
      if (!touches(other, axes, point)) return false;
      any = true;
    }
  }
  return any;
}

/// "a, b and c".
std::string together(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return all;
}

/// The numbers of series that are drawn as one.
std::vector<std::vector<std::size_t>> coincident(const Chart& chart, const Frame& axes) {
  const auto can_join = [&](std::size_t i) {
    return chart.series[i].shape != Shape::measured && !chart.series[i].label.empty() && !chart.series[i].filled;
  };
  std::vector<std::vector<Run>> runs;
  for (const Series& series : chart.series) runs.push_back(drawable_runs(series, chart));
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
      const std::size_t first = group.front();
      return can_join(i) && can_join(first) && lies_on(runs[i], runs[first], axes) &&
             lies_on(runs[first], runs[i], axes);
    });
    if (found == groups.end())
      groups.push_back({i});
    else
      found->push_back(i);
  }
  return groups;
}

/// Points on one spot, as one with all their names.
std::vector<Marker> joined_markers(const Chart& chart, const Frame& axes) {
  std::vector<Marker> out;
  for (const Marker& marker : chart.markers) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const Marker& other) {
      const bool both = drawable(marker, chart) && drawable(other, chart);
      return both && std::abs(axes.x.fraction(marker.x) - axes.x.fraction(other.x)) < kEye &&
             std::abs(axes.y.fraction(marker.y) - axes.y.fraction(other.y)) < kEye;
    });
    if (same == out.end() || same->label.empty() || marker.label.empty())
      out.push_back(marker);
    else if (same->label != marker.label)
      same->label += ", " + marker.label;
  }
  return out;
}

}  // namespace

Chart with_coincident_named(const Chart& chart) {
  const std::optional<Frame> axes = frame(chart);
  if (!axes) return chart;
  Chart named = chart;
  named.markers = joined_markers(chart, *axes);
  named.series.clear();
  for (const std::vector<std::size_t>& group : coincident(chart, *axes)) {
    std::size_t kept = group.front();
    std::vector<std::string> names;
    for (const std::size_t i : group) {
      if (chart.series[i].bold && !chart.series[kept].bold) kept = i;
      names.push_back(chart.series[i].label);
    }
    named.series.push_back(chart.series[kept]);
    named.series.back().label = together(names);
  }
  return named;
}

}  // namespace ridge::report
