#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// A chart as plain data, and its two drawings: an SVG picture and a terminal plot.
/// Both are pure functions of the chart: the same chart gives the same bytes.
namespace ridge::report {

enum class Scale { linear, logarithmic };

/// Lines that an eye can follow at once; a caller chooses which ones, and says what it left out.
inline constexpr std::size_t kMostLines = 6;

/// One axis. Tick labels carry SI prefixes; the units "s" and "$..." are written into each label ("1 ms", "$0.10"),
/// a "year" is written out, and "params" count in B and T.
struct Axis {
  std::string label{};
  std::string unit{};
  Scale scale = Scale::logarithmic;
  bool quiet = false;  // only the shape matters: no numbers along it
};

/// What a color stands for: a resource has its own in every chart, other curves take the next one.
enum class Hue { next, hbm, compute, network };

/// A line; a level that holds until the next point, as prices do; or measured points, which nothing joins.
enum class Shape { line, steps, measured };

/// A curve through (x[i], y[i]). It breaks at every point that is not finite, or not positive on a logarithmic axis.
struct Series {
  std::string label{};
  std::vector<double> x{}, y{};
  bool bold = false;
  bool dashed = false;
  Hue hue = Hue::next;
  Shape shape = Shape::line;
  bool filled = false;  // down to the axis
  std::string like{};   // the label of another series, whose color this one takes
};

/// A labeled point, e.g. "ridge 2,347"; with a whisker from `low` to `high` where those are above zero.
struct Marker {
  double x;
  double y;
  std::string label{};
  double low = 0, high = 0;
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

/// The chart with lines that lie on each other from end to end drawn once, under all their names.
Chart with_coincident_named(const Chart& chart);

/// Several charts in one picture, each a quantity in its own unit; a panel's footer is not shown.
struct ChartPanels {
  std::string title{}, subtitle{}, footer{};
  std::vector<Chart> panels{};
};

/// Two panels side by side, 880 wide, in the look of the other charts.
std::string to_svg(const ChartPanels& panels);

/// A self-contained 880 x 540 SVG that follows the reader's light or dark setting.
/// Colors are custom properties (--ridge-ink, ...) of the class "ridge-chart", so that a page may override them.
std::string to_svg(const Chart& chart);

/// A plot for a terminal, no line wider than `columns`. `rows` is the height of the plotting area alone:
/// title, axes, legend and footer come on top. Without `unicode` every byte is printable ASCII or a newline.
std::string to_text(const Chart& chart, int columns, int rows, bool unicode);

}  // namespace ridge::report
