#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart/chart.hpp"

/// What both drawings of a chart share: which points count, how far the axes reach, where the ticks are,
/// and how a text is cut into characters and lines.
namespace ridge::report {

struct Point {
  double x, y;
};

/// Consecutive drawable points of one series.
using Run = std::vector<Point>;

/// The values an axis spans, low < high; low > 0 when logarithmic.
struct Domain {
  double low, high;
  Scale scale;

  /// Position along the axis, 0 at low and 1 at high; values outside are clamped.
  double fraction(double value) const;
};

struct Frame {
  Domain x, y;
};

/// A grid position; minor ticks have no label.
struct Tick {
  double value;
  std::string label;
};

/// True for finite values of magnitude up to 1e300, and on a logarithmic axis only from 1e-300 up.
bool drawable(double value, Scale scale);

/// True when the whole marker, or the line's position, is drawable on the chart's axes.
bool drawable(const Marker& marker, const Chart& chart);
bool drawable(const Line& line, const Chart& chart);

/// Whether a marker has an interval that can be drawn.
bool whiskered(const Marker& marker);

/// The drawable stretches of a series, in order; levels as they are drawn, and measured points one by one. A longer x or y list is cut to the shorter one.
std::vector<Run> drawable_runs(const Series& series, const Chart& chart);

/// The smallest domain with round ends (1-2-5 times a power of ten) around the drawable values; none if there are none.
/// A linear domain that comes within a third of zero starts at zero.
std::optional<Domain> domain(const std::vector<double>& values, Scale scale);

/// Both domains of a chart; none when one of the axes has nothing to show.
std::optional<Frame> frame(const Chart& chart);

/// Part of an axis as fractions, from < to.
struct Stretch {
  double from, to;
};

/// The part of the x axis a region covers; none when it is empty, reversed, not a number or outside.
std::optional<Stretch> stretch(const Region& region, const Domain& x);

/// Ticks inside the domain in ascending order, about `target` of them labeled.
/// A logarithmic axis in seconds that reaches 10 minutes is labeled in minutes, hours and days.
std::vector<Tick> ticks(const Domain& domain, const std::string& unit, int target);

/// A number with the decimals its step needs and no idle zeros: (1.5, 0.1) -> "1.5", (2, 0.1) -> "2".
std::string decimal(double value, double step);

/// A value to three significant digits in the words of a tick label: "2.35k", "1.17 ms", "$0.077".
std::string quantity(double value, const std::string& unit);

/// "Batch (sequences)", or "Throughput, tok/s (output)" when the unit has its own parenthesis. The unit "s" is left to
/// the tick labels.
std::string axis_title(const Axis& axis);

/// The chart in words, a sentence per part, for those who cannot see it.
/// Where a region lies, in words: "from 47k", "up to 7", "all over".
std::string region_reach(const Region& region, const Axis& axis);

std::string description(const Chart& chart);

/// Sorted positions moved as little as possible (least squares) until neighbors are `gap` apart within [low, high].
/// When they cannot all fit, the last ones pass `high`.
std::vector<double> pushed_apart(const std::vector<double>& wanted, double gap, double low, double high);

/// The text cut into UTF-8 characters. Control characters become a space; bytes that are not UTF-8,
/// and characters XML forbids, become "?".
std::vector<std::string> characters(std::string_view text);

/// The width of one character, in pixels or in terminal columns.
using Measure = double (*)(const std::string& character);

double text_width(std::string_view text, Measure measure);

/// The text, or as much of its beginning as fits before the ellipsis.
std::string fitted(std::string_view text, double width, Measure measure, std::string_view ellipsis);

/// The text broken at spaces into lines no wider than `width`, words too long for a line being cut.
std::vector<std::string> wrapped(std::string_view text, double width, Measure measure);

}  // namespace ridge::report
