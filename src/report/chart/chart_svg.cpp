#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "report/chart/chart.hpp"
#include "report/chart/chart_axis.hpp"
#include "report/chart/chart_svg_style.hpp"

namespace ridge::report {

using svg::cut;
using svg::escaped;
using svg::kPageMargin;
using svg::kPageWidth;
using svg::kSeriesColors;
using svg::kTextSize;
using svg::pixel_width;
using svg::px;
using svg::stylesheet;
using svg::width_of;

namespace {

constexpr double kHeight = 540.0;
constexpr double kBottom = 452.0;  // of the plot of a single chart
constexpr double kTextHeight = 17.0;
constexpr double kGutterFrom = 0.88;  // series that end right of this fraction are labeled beside the plot

constexpr std::string_view kDashes[] = {"", "9 4", "2 3.5", "11 4 2 4", "18 5", "7 3 2 3 2 3", "4 3"};
constexpr std::size_t kDashCount = std::size(kDashes);

struct Box {
  double x, y, width, height;
};

double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0.0 && height > 0.0 ? width * height : 0.0;
}

/// A place for a label: its box, the side of the box the text hangs on, and how much we would rather not.
struct Spot {
  Box box;
  std::string_view anchor;
  double cost;
};

/// Where the text of a label may start: at a point, hanging to the right ("start"), left ("end") or both ways
/// ("middle").
Spot spot_at(Point at, double width, std::string_view anchor, double cost) {
  const double left = anchor == "start" ? at.x : anchor == "end" ? at.x - width : at.x - 0.5 * width;
  return {{left, at.y - 0.5 * kTextHeight, width, kTextHeight}, anchor, cost};
}

/// How a series and its label are told from the others: the first bold one in ink, the rest by color and by dash.
struct Pen {
  std::string color;
  std::string_view dash;
  double width;
  std::string words;  // the class of its label
};

std::vector<Pen> pens(const std::vector<Series>& all) {
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

Canvas canvas_for(const Chart& chart, const Frame& frame, std::string id, const Box& room) {
  const int across = static_cast<int>(room.width / 100.0), up = static_cast<int>(room.height / 45.0);
  Canvas canvas{.chart = chart,
                .frame = frame,
                .id = std::move(id),
                .room = room,
                .x_ticks = chart.x.quiet ? std::vector<Tick>() : ticks(frame.x, chart.x.unit, std::max(across, 2)),
                .y_ticks = chart.y.quiet ? std::vector<Tick>() : ticks(frame.y, chart.y.unit, std::max(up, 2)),
                .pens = pens(chart.series)};
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

constexpr double kCovers = 500.0;  // the cost of covering words: more than of any line

/// The cheapest spot once moved inside the plot: covering lines is dear, then its own cost counts. None where each would
/// cover other words: a label is dropped rather than written over another.
std::optional<Spot> placed(Canvas& canvas, std::vector<Spot> spots) {
  const Box& plot = canvas.plot;
  for (Spot& spot : spots) {
    Box& box = spot.box;
    box.x = std::clamp(box.x, plot.x + 3.0, std::max(plot.x + 3.0, canvas.right() - box.width - 3.0));
    box.y = std::clamp(box.y, plot.y + 2.0, std::max(plot.y + 2.0, canvas.bottom() - box.height - 2.0));
    for (const Box& other : canvas.taken) {
      if (const double area = overlap(box, other); area > 0.0) spot.cost += kCovers + area;
    }
    for (const Point& p : canvas.inked) {
      if (p.x > box.x - 2.0 && p.x < box.x + box.width + 2.0 && p.y > box.y && p.y < box.y + box.height)
        spot.cost = std::min(spot.cost + 6.0, std::max(spot.cost, kCovers - 1.0));
    }
  }
  const Spot best =
      *std::min_element(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.cost < b.cost; });
  if (best.cost >= kCovers) return std::nullopt;
  canvas.taken.push_back(best.box);
  return best;
}

void write(Canvas& canvas, const Spot& spot, std::string_view text, std::string_view style) {
  const Box& box = spot.box;
  const double share = spot.anchor == "start" ? 0.0 : spot.anchor == "end" ? 1.0 : 0.5;
  canvas.words += text_at({box.x + share * box.width, box.y + 13.0}, text,
                          fmt::format("text-anchor=\"{}\" class=\"halo {}\"", spot.anchor, style));
}

/// Writes a label near a point, on a thin leader when the near places are taken.
void write_around(Canvas& canvas, Point point, std::string_view label, std::string_view style) {
  if (label.empty()) return;
  const bool strong = style.ends_with("strong");
  const std::string text = cut(label, 0.9 * canvas.plot.width - 8.0);
  const double width = width_of(text, strong);
  std::vector<Spot> spots;
  for (double distance : {10.0, 22.0, 40.0, 64.0, 96.0, 136.0}) {
    const double diagonal = 0.8 * distance, cost = distance - 10.0;
    for (const auto& [dx, anchor] : {std::pair{1.0, "start"}, std::pair{-1.0, "end"}}) {
      spots.push_back(spot_at({point.x + dx * diagonal, point.y - diagonal - 4.0}, width, anchor, cost));
      spots.push_back(spot_at({point.x + dx * diagonal, point.y + diagonal + 4.0}, width, anchor, cost + 2.0));
      spots.push_back(spot_at({point.x + dx * distance, point.y}, width, anchor, cost + 1.0));
    }
    spots.push_back(spot_at({point.x, point.y - distance - 7.0}, width, "middle", cost + 3.0));
    spots.push_back(spot_at({point.x, point.y + distance + 7.0}, width, "middle", cost + 4.0));
  }
  const std::optional<Spot> best = placed(canvas, std::move(spots));
  if (!best) return;
  const Point nearest{std::clamp(point.x, best->box.x, best->box.x + best->box.width),
                      std::clamp(point.y, best->box.y, best->box.y + best->box.height)};
  if (std::hypot(nearest.x - point.x, nearest.y - point.y) > 15.0) {
    canvas.marks += line_between(point, nearest, "class=\"line-muted\" stroke-width=\"0.75\"");
  }
  write(canvas, *best, text, style);
}

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

/// The series labels beside the plot, in the order of the line ends and pushed apart where those crowd.
void write_gutter(Canvas& canvas) {
  std::vector<End>& ends = canvas.gutter;
  if (ends.empty()) return;
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.point.y > b.point.y; });
  std::vector<double> wanted;
  for (const End& end : ends) wanted.push_back(canvas.y_at(end.point.y));
  const double gap = std::min(kTextHeight, (canvas.plot.height - 12.0) / static_cast<double>(ends.size()));
  const std::vector<double> ys = pushed_apart(wanted, gap, canvas.plot.y + 6.0, canvas.bottom() - 6.0);
  const double left = canvas.right() + 18.0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::string& label = canvas.chart.series[ends[i].series].label;
    const Point end = canvas.at(ends[i].point);
    const Pen& pen = canvas.pens[ends[i].series];
    canvas.marks +=
        fmt::format("<path d=\"M{} {}L{} {}L{} {}\" class=\"line-{}\" stroke-width=\"0.75\"/>\n", px(end.x + 3.0),
                    px(end.y), px(canvas.right() + 2.0), px(end.y), px(left - 4.0), px(ys[i]), pen.color);
    canvas.words += text_at({left, ys[i] + 4.5},
                            cut(label, (canvas.room.x + canvas.room.width + kPageMargin - 4.0 - left) /
                                           (canvas.chart.series[ends[i].series].bold ? 1.1 : 1.0)),
                            fmt::format("class=\"{}\"", pen.words));
  }
}

void write_line_label(Canvas& canvas, const Line& line) {
  if (!drawable(line, canvas.chart) || line.label.empty()) return;
  const std::string text = cut(line.label, canvas.plot.width - 8.0);
  const double width = width_of(text), x = canvas.x_at(line.at), y = canvas.y_at(line.at);
  std::vector<Spot> spots;
  for (int i = 0; i < 20; ++i) {
    const double share = i / 19.0, cost = line.vertical ? 4.0 * i : 0.5 * i;
    const double row = canvas.plot.y + 12.0 + share * (canvas.plot.height - 24.0);
    const double column = canvas.plot.x + 6.0 + share * (canvas.plot.width - width - 12.0);
    spots.push_back(line.vertical ? spot_at({x + 6.0, row}, width, "start", cost)
                                  : spot_at({column, y - 10.0}, width, "start", cost));
    spots.push_back(line.vertical ? spot_at({x - 6.0, row}, width, "end", cost + 1.0)
                                  : spot_at({column, y + 11.0}, width, "start", cost + 2.0));
  }
  if (const std::optional<Spot> best = placed(canvas, std::move(spots))) write(canvas, *best, text, "fill-muted");
}

/// A region's name, inside it; upright where it is too narrow for the words.
void write_region_label(Canvas& canvas, const Region& region) {
  const std::optional<Stretch> span = stretch(region, canvas.frame.x);
  if (!span || region.label.empty()) return;
  const double middle = canvas.plot.x + 0.5 * canvas.plot.width * (span->from + span->to);
  const double room = canvas.plot.width * (span->to - span->from);
  const bool upright = width_of(region.label) + 8.0 > room && room >= kTextHeight;
  const std::string text = cut(region.label, (upright ? canvas.plot.height : canvas.plot.width) - 8.0);
  const double width = width_of(text);
  std::vector<Spot> spots;
  for (int i = 0; i < 20; ++i) {
    const double row = canvas.plot.y + 14.0 + (canvas.plot.height - 28.0) * i / 19.0;
    Spot spot = spot_at({middle, row}, width, "middle", 3.0 * std::abs(i - 14));
    if (upright) spot.box = {middle - 0.5 * kTextHeight, row - 0.5 * width, kTextHeight, width};
    spots.push_back(spot);
  }
  const std::optional<Spot> best = placed(canvas, std::move(spots));
  if (!best) return;
  if (!upright) return write(canvas, *best, text, "fill-ink");
  const double y = best->box.y + 0.5 * width;
  canvas.words += text_at({middle, y}, text,
                          fmt::format("text-anchor=\"middle\" dy=\"4.5\" transform=\"rotate(-90 {} {})\" "
                                      "class=\"halo fill-ink\"",
                                      px(middle), px(y)));
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

void write_labels(Canvas& canvas) {
  write_gutter(canvas);
  for (const Marker& marker : canvas.chart.markers) {
    if (!drawable(marker, canvas.chart)) continue;
    write_around(canvas, canvas.at({marker.x, marker.y}), marker.label, "fill-ink strong");
  }
  for (const End& end : canvas.inner) {
    write_around(canvas, canvas.at(end.point), canvas.chart.series[end.series].label, canvas.pens[end.series].words);
  }
  for (const Line& line : canvas.chart.lines) write_line_label(canvas, line);
  for (const Region& region : canvas.chart.regions) write_region_label(canvas, region);
}

std::string plot(const Chart& chart, const Frame& frame, const std::string& id, const Box& room) {
  Canvas canvas = canvas_for(chart, frame, id, room);
  draw_grid(canvas);
  draw_regions(canvas);
  draw_lines(canvas);
  draw_curves(canvas);
  draw_markers(canvas);
  write_labels(canvas);
  canvas.words += text_at({room.x, canvas.plot.y - 14.0}, cut(axis_title(chart.y), room.width), "class=\"fill-ink\"");
  canvas.words += text_at({canvas.plot.x + 0.5 * canvas.plot.width, canvas.bottom() + 40.0},
                          cut(axis_title(chart.x), room.width), "text-anchor=\"middle\" class=\"fill-ink\"");
  return canvas.marks + canvas.words;
}

/// Eight hexadecimal digits of what the chart says (FNV-1a), so that several charts may share one page.
std::string identity(const Chart& chart) {
  std::uint32_t hash = 2166136261U;
  for (char c : chart.title + description(chart)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{:08x}", hash);
}

/// What stands above and below every picture.
struct PageWords {
  std::string title, subtitle, footer;
};

/// The lines of a text, at most two: only what is longer than both is cut.
std::vector<std::string> two_lines(std::string_view text, double width) {
  std::vector<std::string> lines = wrapped(text, width, pixel_width);
  if (lines.size() <= 2) return lines;
  for (std::size_t i = 2; i < lines.size(); ++i) lines[1] += " " + lines[i];
  return {lines[0], cut(lines[1], width)};
}

constexpr double kTitleLine = 24.0, kSubtitleLine = 18.0, kFooterLine = 14.0;
constexpr double kTitleSize = 19.0, kFooterSize = 11.0;

/// How far the title and the subtitle reach down.
double head_height(const PageWords& words) {
  const double room = kPageWidth - 2.0 * kPageMargin;
  const auto titles = static_cast<double>(two_lines(words.title, room * kTextSize / kTitleSize).size());
  const auto subtitles = static_cast<double>(two_lines(words.subtitle, room).size());
  return 14.0 + kTitleLine * titles + kSubtitleLine * subtitles;
}

/// The page around a body: size, style, title, subtitle and footer.
std::string svg_page(const PageWords& words, const std::string& id, const std::string& told, double height,
                     const std::string& body) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" role=\"img\" class=\"ridge-chart\" "
      "aria-labelledby=\"title-{2} desc-{2}\">\n<title id=\"title-{2}\">{3}</title>\n<desc id=\"desc-{2}\">{4}</desc>\n"
      "{5}<defs><pattern id=\"hatch-{2}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path d=\"M0 0V7\" class=\"line-hatch\" "
      "stroke-width=\"2.5\"/></pattern></defs>\n"
      "<rect width=\"{0}\" height=\"{1}\" class=\"fill-paper\"/>\n",
      px(kPageWidth), px(height), id, escaped(words.title), escaped(told), stylesheet());
  const double room = kPageWidth - 2.0 * kPageMargin;
  double y = 8.0;
  for (const std::string& line : two_lines(words.title, room * kTextSize / kTitleSize))
    svg += text_at({kPageMargin, y += kTitleLine}, line, "class=\"title fill-ink\"");
  y += 2.0;
  for (const std::string& line : two_lines(words.subtitle, room))
    svg += text_at({kPageMargin, y += kSubtitleLine}, line, "class=\"fill-muted\"");
  svg += body;
  const std::vector<std::string> footer = two_lines(words.footer, room * kTextSize / kFooterSize);
  for (std::size_t i = 0; i < footer.size(); ++i)
    svg += text_at({kPageMargin, height - 26.0 + kFooterLine * static_cast<double>(i)}, footer[i],
                   "class=\"small fill-muted\"");
  return svg + "</svg>\n";
}

std::string nothing_at(Point at) {
  return text_at(at, "nothing to draw", "text-anchor=\"middle\" class=\"fill-muted\"");
}

}  // namespace

std::string to_svg(const Chart& asked) {
  const Chart chart = with_coincident_named(asked);
  const std::optional<Frame> axes = frame(chart);
  const std::string id = identity(chart);
  const PageWords words{chart.title, chart.subtitle, chart.footer};
  const double top = head_height(words) + 36.0;
  const Box room{kPageMargin, top, kPageWidth - 2.0 * kPageMargin, kBottom - top};
  return svg_page(words, id, description(chart), kHeight,
                  axes ? plot(chart, *axes, id, room) : nothing_at({0.5 * kPageWidth, 0.5 * kHeight}));
}

std::string to_svg(const ChartPanels& all) {
  constexpr double kAcross = 2.0, kBetween = 40.0, kPanel = 250.0, kPlot = 150.0;
  const PageWords words{all.title, all.subtitle, all.footer};
  const double width = (kPageWidth - 2.0 * kPageMargin - kBetween) / kAcross, head = head_height(words) + 14.0;
  std::string told = all.subtitle, body;
  for (const Chart& panel : all.panels) told += fmt::format(" {}: {}", panel.title, description(panel));
  const std::string id = identity({.title = all.title, .subtitle = told});
  for (std::size_t i = 0; i < all.panels.size(); ++i) {
    const Chart chart = with_coincident_named(all.panels[i]);
    const double x = kPageMargin + (width + kBetween) * static_cast<double>(i % 2);
    const double y = head + kPanel * std::floor(static_cast<double>(i) / kAcross);
    body += text_at({x, y + 14.0}, cut(chart.title, width / 1.1), "class=\"strong fill-ink\"");
    body += text_at({x, y + 32.0}, cut(chart.subtitle, width), "class=\"fill-muted\"");
    const std::optional<Frame> axes = frame(chart);
    const Box room{x, y + 46.0, width, kPlot};
    body += axes ? plot(chart, *axes, id, room) : nothing_at({x + 0.5 * width, y + 46.0 + 0.5 * kPlot});
  }
  const double rows = std::ceil(static_cast<double>(all.panels.size()) / kAcross);
  return svg_page(words, id, told, head + kPanel * std::max(rows, 1.0) + 30.0, body);
}

}  // namespace ridge::report
