#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "report/chart/chart_svg_style.hpp"
#include "report/chart/svg_canvas.hpp"

namespace ridge::report::svg {

namespace {

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

}  // namespace

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

}  // namespace ridge::report::svg
