#pragma once
// One drawing in progress: where its axes, marks and words are.

#include <string>
#include <string_view>
#include <vector>

#include "report/chart/chart.hpp"
#include "report/chart/chart_axis.hpp"

namespace ridge::report::svg {

inline constexpr double kTextHeight = 17.0;

struct Box {
  double x, y, width, height;
};

/// How a series and its label are told from the others: the first bold one in ink, the rest by color and by dash.
struct Pen {
  std::string color;
  std::string_view dash;
  double width;
  std::string words;  // the class of its label
};

/// The end of a series that its label belongs to, in data coordinates.
struct End {
  Point point;
  std::size_t series;
};

/// One drawing in progress. Marks go to `marks`; words wait in `words`, to lie above every mark.
struct Canvas {
  const Chart& chart;
  Frame frame;
  std::string id;
  Box room;  // for the plot with its tick labels and the labels beside it
  std::vector<Tick> x_ticks, y_ticks;
  std::vector<Pen> pens;
  std::vector<std::vector<Run>> runs{};
  std::vector<End> gutter{}, inner{};  // series labeled beside the plot, and at their end inside it
  Box plot{};
  std::vector<Box> taken{};    // where words and dots already are
  std::vector<Point> inked{};  // samples of the lines that words should keep off
  std::string marks{}, words{};

  double x_at(double value) const { return plot.x + plot.width * frame.x.fraction(value); }
  double y_at(double value) const { return plot.y + plot.height * (1.0 - frame.y.fraction(value)); }
  Point at(Point value) const { return {x_at(value.x), y_at(value.y)}; }
  double right() const { return plot.x + plot.width; }
  double bottom() const { return plot.y + plot.height; }
};

Canvas canvas_for(const Chart& chart, const Frame& frame, std::string id, const Box& room);

std::string line_between(Point from, Point to, std::string_view attributes);
std::string text_at(Point at, std::string_view text, std::string_view attributes);

/// Records a line, in pixels, as something words should not cover.
void avoid(Canvas& canvas, Point from, Point to);

/// Grid, regions, lines, curves and markers: everything that is no word.
void draw_marks(Canvas& canvas);

/// Names beside what they name: of series, markers, lines and regions.
void write_labels(Canvas& canvas);

}  // namespace ridge::report::svg
