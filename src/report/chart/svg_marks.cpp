#include <cmath>

#include <fmt/format.h>

#include "report/chart/chart_svg_style.hpp"
#include "report/chart/svg_canvas.hpp"

namespace ridge::report::svg {

namespace {

void draw_regions(Canvas& canvas) {
  for (const Region& region : canvas.chart.regions) {
    const std::optional<Stretch> span = stretch(region, canvas.frame.x);
    if (!span) continue;
    const double from = canvas.plot.x + canvas.plot.width * span->from,
                 width = canvas.plot.width * (span->to - span->from);
    canvas.marks += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#hatch-{})\"><title>{}</title></rect>\n",
        px(from), px(canvas.plot.y), px(width), px(canvas.plot.height), canvas.id, escaped(region.label));
  }
}

void draw_grid(Canvas& canvas) {
  const Box& plot = canvas.plot;
  std::string minor, major, labels;
  for (const Tick& tick : canvas.x_ticks) {
    const double x = canvas.x_at(tick.value);
    if (tick.label.empty()) minor += fmt::format("M{} {}v4", px(x), px(canvas.bottom()));
    if (!tick.label.empty()) major += fmt::format("M{} {}V{}", px(x), px(plot.y), px(canvas.bottom()));
    if (tick.label.empty()) continue;
    labels += text_at({x, canvas.bottom() + 19.0}, tick.label, "text-anchor=\"middle\" class=\"fill-muted\"");
  }
  for (const Tick& tick : canvas.y_ticks) {
    const double y = canvas.y_at(tick.value);
    if (tick.label.empty()) minor += fmt::format("M{} {}h-4", px(plot.x), px(y));
    if (!tick.label.empty()) major += fmt::format("M{} {}H{}", px(plot.x), px(y), px(canvas.right()));
    if (tick.label.empty()) continue;
    labels += text_at({plot.x - 8.0, y + 4.5}, tick.label, "text-anchor=\"end\" class=\"fill-muted\"");
  }
  if (!major.empty()) canvas.marks += fmt::format("<path d=\"{}\" class=\"line-minor\"/>\n", major);
  if (!minor.empty()) canvas.marks += fmt::format("<path d=\"{}\" class=\"line-grid\"/>\n", minor);
  canvas.marks += fmt::format("<path d=\"M{} {}V{}H{}\" class=\"line-muted\"/>\n", px(plot.x), px(plot.y),
                              px(canvas.bottom()), px(canvas.right()));
  canvas.marks += labels;
}

void draw_lines(Canvas& canvas) {
  for (const Line& line : canvas.chart.lines) {
    if (!drawable(line, canvas.chart)) continue;
    const double x = canvas.x_at(line.at), y = canvas.y_at(line.at);
    const Point from = line.vertical ? Point{x, canvas.plot.y} : Point{canvas.plot.x, y};
    const Point to = line.vertical ? Point{x, canvas.bottom()} : Point{canvas.right(), y};
    canvas.marks += line_between(from, to, "class=\"line-muted\" stroke-width=\"1.25\" stroke-dasharray=\"5 3\"");
    avoid(canvas, from, to);
  }
}

/// One stretch of a curve; points less than a quarter pixel from the last one written are left out.
std::string path_of(Canvas& canvas, const Run& run) {
  std::string path;
  Point last = canvas.at(run.front());
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Point point = canvas.at(run[i]);
    if (i > 0 && i + 1 < run.size() && std::hypot(point.x - last.x, point.y - last.y) < 0.25) continue;
    path += fmt::format("{}{} {}", i == 0 ? 'M' : 'L', px(point.x), px(point.y));
    avoid(canvas, last, point);
    last = point;
  }
  return path;
}

/// A rhombus around a point: what a clock has seen.
std::string diamond_at(Point point, double r) {
  return fmt::format("M{} {}l{} {}l-{} {}l-{}-{}z", px(point.x), px(point.y - r), px(r), px(r), px(r), px(r), px(r),
                     px(r));
}

void draw_measured(Canvas& canvas, std::size_t index) {
  constexpr double kRadius = 5.0;
  std::string path;
  for (const Run& run : canvas.runs[index]) {
    const Point point = canvas.at(run.front());
    path += diamond_at(point, kRadius);
    canvas.taken.push_back({point.x - kRadius, point.y - kRadius, 2.0 * kRadius, 2.0 * kRadius});
  }
  if (path.empty()) return;
  canvas.marks += fmt::format(
      "<path d=\"{0}\" class=\"line-paper\" stroke-width=\"3\"/>\n"
      "<path d=\"{0}\" class=\"fill-{1}\"><title>{2}</title></path>\n",
      path, canvas.pens[index].color, escaped(canvas.chart.series[index].label));
}

/// The area between a stretch of a curve and the x axis.
std::string area_under(const Canvas& canvas, const Run& run, const std::string& path, std::string_view color) {
  return fmt::format("<path d=\"{}V{}H{}z\" class=\"fill-{}\" fill-opacity=\"0.16\"/>\n", path, px(canvas.bottom()),
                     px(canvas.x_at(run.front().x)), color);
}

void draw_curve(Canvas& canvas, std::size_t index) {
  if (canvas.chart.series[index].shape == Shape::measured) return draw_measured(canvas, index);
  const Pen& pen = canvas.pens[index];
  std::string path;
  for (const Run& run : canvas.runs[index]) {
    const Point dot = canvas.at(run.front());
    const std::string stretch_path = path_of(canvas, run);
    if (canvas.chart.series[index].filled) canvas.marks += area_under(canvas, run, stretch_path, pen.color);
    path += stretch_path;
    if (run.size() > 1) continue;
    canvas.marks += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"fill-{}\"/>\n", px(dot.x), px(dot.y),
                                px(1.5 + pen.width / 2.0), pen.color);
  }
  if (path.empty()) return;
  const std::string dash = pen.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", pen.dash);
  canvas.marks += fmt::format("<path d=\"{}\" class=\"line-{}\" stroke-width=\"{}\"{}><title>{}</title></path>\n", path,
                              pen.color, px(pen.width), dash, escaped(canvas.chart.series[index].label));
}

void draw_curves(Canvas& canvas) {
  for (bool bold : {false, true}) {
    for (std::size_t i = 0; i < canvas.chart.series.size(); ++i) {
      if (canvas.chart.series[i].bold == bold) draw_curve(canvas, i);
    }
  }
}

void draw_markers(Canvas& canvas) {
  for (const Marker& marker : canvas.chart.markers) {
    if (!drawable(marker, canvas.chart)) continue;
    const Point point = canvas.at({marker.x, marker.y});
    if (whiskered(marker)) {
      const double low = canvas.y_at(marker.low), high = canvas.y_at(marker.high);
      canvas.words += fmt::format("<path d=\"M{0} {1}h8m-4 0V{2}m-4 0h8\" class=\"line-ink\" stroke-width=\"1.5\"/>\n",
                                  px(point.x - 4.0), px(low), px(high));
      avoid(canvas, {point.x, low}, {point.x, high});
    }
    canvas.words += fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"5\" class=\"fill-ink line-paper\" stroke-width=\"2.25\">"
        "<title>{}</title></circle>\n",
        px(point.x), px(point.y), escaped(marker.label));
    canvas.taken.push_back({point.x - 6.0, point.y - 6.0, 12.0, 12.0});
  }
}

}  // namespace

void draw_marks(Canvas& canvas) {
  draw_grid(canvas);
  draw_regions(canvas);
  draw_lines(canvas);
  draw_curves(canvas);
  draw_markers(canvas);
}

}  // namespace ridge::report::svg
