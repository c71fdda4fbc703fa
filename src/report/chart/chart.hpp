#pragma once

#include <string>
#include <vector>

/// A chart as plain data, and its two drawings: an SVG picture and a terminal plot.
/// Both are pure functions of the chart: the same chart gives the same bytes.
namespace ridge::report {

enum class Scale { linear, logarithmic };

/// One axis. Tick labels carry SI prefixes; the units "s" and "$..." are written into each label ("1 ms", "$0.10"),
/// and a "year" is written out.
struct Axis {
  std::string label{};
  std::string unit{};
  Scale scale = Scale::logarithmic;
};

/// A curve through (x[i], y[i]). It breaks at every point that is not finite, or not positive on a logarithmic axis.
struct Series {
  std::string label{};
  std::vector<double> x{}, y{};
  bool bold = false;
  bool dashed = false;
};

/// A labeled point, e.g. "ridge 2,347".
struct Marker {
  double x;
  double y;
  std::string label{};
};

/// A straight line across the whole plot, e.g. a latency floor (horizontal) or the ridge batch (vertical).
struct Line {
  bool vertical;
  double at;
  std::string label{};
};

/// A hatched band of x, e.g. "does not fit". An infinite end means the end of the axis.
struct Region {
  double from_x;
  double to_x;
  std::string label{};
};

/// Everything one picture shows; a caller names only the fields it uses.
/// Series, markers and lines set how far the axes reach; regions do not.
struct Chart {
  std::string title{}, subtitle{}, footer{};
  Axis x{}, y{};
  std::vector<Series> series{};
  std::vector<Marker> markers{};
  std::vector<Line> lines{};
  std::vector<Region> regions{};
};

/// A self-contained 880 x 540 SVG that follows the reader's light or dark setting.
/// Colors are custom properties (--ridge-ink, ...) of the class "ridge-chart", so that a page may override them.
std::string to_svg(const Chart& chart);

/// A plot for a terminal, no line wider than `columns`. `rows` is the height of the plotting area alone:
/// title, axes, legend and footer come on top. Without `unicode` every byte is printable ASCII or a newline.
std::string to_text(const Chart& chart, int columns, int rows, bool unicode);

}  // namespace ridge::report
