#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "report/chart/chart.hpp"
#include "report/chart/chart_axis.hpp"
#include "report/chart/chart_svg_style.hpp"
#include "report/chart/svg_canvas.hpp"

namespace ridge::report {

using svg::cut;
using svg::escaped;
using svg::kPageMargin;
using svg::kPageWidth;
using svg::kTextSize;
using svg::pixel_width;
using svg::px;
using svg::stylesheet;
using svg::text_at;

namespace {

constexpr double kHeight = 540.0;
constexpr double kBottom = 452.0;  // of the plot of a single chart

std::string plot(const Chart& chart, const Frame& frame, const std::string& id, const svg::Box& room) {
  svg::Canvas canvas = svg::canvas_for(chart, frame, id, room);
  draw_marks(canvas);
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
  const svg::Box room{kPageMargin, top, kPageWidth - 2.0 * kPageMargin, kBottom - top};
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
    const svg::Box room{x, y + 46.0, width, kPlot};
    body += axes ? plot(chart, *axes, id, room) : nothing_at({x + 0.5 * width, y + 46.0 + 0.5 * kPlot});
  }
  const double rows = std::ceil(static_cast<double>(all.panels.size()) / kAcross);
  return svg_page(words, id, told, head + kPanel * std::max(rows, 1.0) + 30.0, body);
}

}  // namespace ridge::report
