#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "report/chart/chart.hpp"
#include "report/chart/chart_axis.hpp"

namespace ridge::report {
namespace {

constexpr int kNarrowest = 16;  // columns of plotting area below which a picture says nothing
constexpr int kLargestSide = 1000;

/// Terminal columns of a character: 2 for the East Asian wide blocks and pictographs.
double column_width(const std::string& character) {
  if (character.size() < 3) return 1.0;
  const std::string_view c = character;
  const bool wide = (c >= "\u1100" && c < "\u1160") || (c >= "\u2E80" && c < "\uA4D0") ||
                    (c >= "\uAC00" && c < "\uD7A4") || (c >= "\uF900" && c < "\uFB00") ||
                    (c >= "\uFE30" && c < "\uFE70") || (c >= "\uFF00" && c < "\uFFE7") || c >= "\U0001F300";
  return wide ? 2.0 : 1.0;
}

/// The characters a plot is made of.
struct Glyphs {
  std::vector<std::string> series;
  std::string measured, bold, marker, vertical, horizontal, hatch, axis, corner, x_axis, x_tick, y_tick, ellipsis;
};

Glyphs glyphs(bool unicode) {
  if (unicode) {
    return {characters("•+×○△▪◇abcdefghijklmnpqrstuvwyz"), "◆", "█", "◉", "┊", "┈", "░", "│", "└", "─", "┬", "┤", "…"};
  }
  return {characters("*+ox=&$abcdefghijklmnpqrstuvwyz"), "%", "#", "@", "|", "-", "/", "|", "+", "-", "+", "+", "..."};
}

/// The text with its printable ASCII kept and the usual typography spelled out.
std::string ascii(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kSpelled = {{{"µ", "u"},
                                                                                       {"μ", "u"},
                                                                                       {"×", "x"},
                                                                                       {"·", "-"},
                                                                                       {"–", "-"},
                                                                                       {"—", "-"},
                                                                                       {"−", "-"},
                                                                                       {"≤", "<="},
                                                                                       {"≥", ">="},
                                                                                       {"’", "'"},
                                                                                       {"…", "..."},
                                                                                       {"\u00A0", " "}}};
  std::string result;
  for (const std::string& character : characters(text)) {
    const auto known =
        std::find_if(kSpelled.begin(), kSpelled.end(), [&](const auto& pair) { return pair.first == character; });
    if (character.size() == 1)
      result += character;
    else if (known != kSpelled.end())
      result += known->second;
    else
      result += '?';
  }
  return result;
}

/// A plot in progress: cells of one column each, row 0 at the top. Empty cells are "".
struct TextCanvas {
  const Chart& chart;
  Frame frame;
  Glyphs glyph;
  bool unicode;
  int width, height;
  std::vector<std::string> cells{};

  int column(double x) const { return static_cast<int>(std::lround(frame.x.fraction(x) * (width - 1))); }
  int row(double y) const { return static_cast<int>(std::lround((1.0 - frame.y.fraction(y)) * (height - 1))); }
  std::string& cell(int r, int c) { return cells[static_cast<std::size_t>(r * width + c)]; }
  std::string plain(std::string_view text) const { return unicode ? std::string(text) : ascii(text); }
  double measured(std::string_view text) const { return text_width(text, column_width); }
  std::string fit(std::string_view text, int columns) const {
    return fitted(plain(text), columns, column_width, glyph.ellipsis);
  }
};

std::vector<std::string> series_glyphs(const TextCanvas& canvas) {
  std::vector<std::string> result;
  std::size_t next = 0;
  bool bold_taken = false;
  for (const Series& series : canvas.chart.series) {
    if (series.shape == Shape::measured) {
      result.push_back(canvas.glyph.measured);
      continue;
    }
    const bool takes_bold = series.bold && !bold_taken;
    bold_taken = bold_taken || takes_bold;
    result.push_back(takes_bold ? canvas.glyph.bold : canvas.glyph.series[next++ % canvas.glyph.series.size()]);
  }
  return result;
}

void draw_regions(TextCanvas& canvas) {
  for (const Region& region : canvas.chart.regions) {
    const std::optional<Stretch> span = stretch(region, canvas.frame.x);
    if (!span) continue;
    const int from = static_cast<int>(std::ceil(span->from * (canvas.width - 1)));
    for (int c = from; c <= static_cast<int>(span->to * (canvas.width - 1)); ++c) {
      for (int r = 0; r < canvas.height; ++r) canvas.cell(r, c) = canvas.glyph.hatch;
    }
  }
}

void draw_lines(TextCanvas& canvas) {
  for (const Line& line : canvas.chart.lines) {
    if (!drawable(line, canvas.chart)) continue;
    if (line.vertical) {
      for (int r = 0; r < canvas.height; ++r) canvas.cell(r, canvas.column(line.at)) = canvas.glyph.vertical;
    } else {
      for (int c = 0; c < canvas.width; ++c) canvas.cell(canvas.row(line.at), c) = canvas.glyph.horizontal;
    }
  }
}

/// A bold curve leaves every fourth column to the curve it runs on, so that one sees which one that is.
void draw_curve(TextCanvas& canvas, const Series& series, const std::string& glyph) {
  const auto put = [&](double r, double c) {
    const int row = static_cast<int>(std::lround(r)), column = static_cast<int>(std::lround(c));
    std::string& cell = canvas.cell(row, column);
    const std::vector<std::string>& others = canvas.glyph.series;
    const bool occupied = std::find(others.begin(), others.end(), cell) != others.end();
    if (!(series.bold && occupied && column % 4 == 2)) cell = glyph;
  };
  for (const Run& run : drawable_runs(series, canvas.chart)) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      const Point from = run[i == 0 ? 0 : i - 1], to = run[i];
      const double x0 = canvas.frame.x.fraction(from.x) * (canvas.width - 1);
      const double y0 = (1.0 - canvas.frame.y.fraction(from.y)) * (canvas.height - 1);
      const double dx = canvas.frame.x.fraction(to.x) * (canvas.width - 1) - x0;
      const double dy = (1.0 - canvas.frame.y.fraction(to.y)) * (canvas.height - 1) - y0;
      const int steps = static_cast<int>(std::ceil(std::max({std::abs(dx), std::abs(dy), 1.0})));
      for (int step = 0; step <= steps; ++step) put(y0 + dy * step / steps, x0 + dx * step / steps);
    }
  }
}

void draw_curves(TextCanvas& canvas) {
  const std::vector<std::string> glyph = series_glyphs(canvas);
  const auto layer = [](const Series& series) { return series.shape == Shape::measured ? 2 : series.bold ? 1 : 0; };
  for (int now = 0; now <= 2; ++now) {
    for (std::size_t i = 0; i < canvas.chart.series.size(); ++i) {
      if (layer(canvas.chart.series[i]) == now) draw_curve(canvas, canvas.chart.series[i], glyph[i]);
    }
  }
}

/// Writes the text from a cell to the right if it and a blank on either side cover nothing but hatching.
bool write_at(TextCanvas& canvas, int r, int c, std::string_view text) {
  const std::vector<std::string> letters = characters(canvas.plain(text));
  const int end = c + static_cast<int>(letters.size());
  if (letters.empty() || canvas.measured(canvas.plain(text)) != static_cast<double>(letters.size())) return false;
  if (r < 0 || r >= canvas.height || c < 0 || end > canvas.width) return false;
  const int first = std::max(c - 1, 0), last = std::min(end, canvas.width - 1);
  for (int i = first; i <= last; ++i) {
    if (!canvas.cell(r, i).empty() && canvas.cell(r, i) != canvas.glyph.hatch) return false;
  }
  for (int i = first; i <= last; ++i) {
    canvas.cell(r, i) = i < c || i >= end ? " " : letters[static_cast<std::size_t>(i - c)];
  }
  return true;
}

void write_labels(TextCanvas& canvas) {
  const auto length = [&](std::string_view text) { return static_cast<int>(canvas.measured(canvas.plain(text))); };
  for (const Marker& marker : canvas.chart.markers) {
    if (!drawable(marker, canvas.chart)) continue;
    const int r = canvas.row(marker.y), c = canvas.column(marker.x), n = length(marker.label);
    bool done = false;
    for (int dr : {-1, 1, 0, -2, 2}) {
      for (int left : {c + 2, c - n - 1, c - n / 2}) done = done || write_at(canvas, r + dr, left, marker.label);
    }
  }
  for (const Line& line : canvas.chart.lines) {
    if (!drawable(line, canvas.chart)) continue;
    bool done = false;
    const int c = canvas.column(line.at), r = canvas.row(line.at), n = length(line.label);
    for (int i = 0; i < (line.vertical ? canvas.height : canvas.width) && !done; ++i) {
      done = line.vertical ? write_at(canvas, i, c + 2, line.label) || write_at(canvas, i, c - 1 - n, line.label)
                           : write_at(canvas, r - 1, i + 1, line.label) || write_at(canvas, r + 1, i + 1, line.label);
    }
  }
}

/// The labels under the x axis, each centerd on its tick where its neighbors leave room.
std::string x_labels(const TextCanvas& canvas, const std::vector<Tick>& x_ticks, int left) {
  std::string line;
  int end = 0;
  for (const Tick& tick : x_ticks) {
    const std::string label = canvas.plain(tick.label);
    const int size = static_cast<int>(canvas.measured(label));
    const int start = std::clamp(left + canvas.column(tick.value) - size / 2, 0, left + canvas.width - size);
    if (size == 0 || (end > 0 && start < end + 1)) continue;
    line += std::string(static_cast<std::size_t>(start - end), ' ') + label;
    end = start + size;
  }
  return line;
}

/// One entry per thing drawn; the label of a marker or line that has no number of its own is given its value.
std::vector<std::string> legend(const TextCanvas& canvas) {
  const Chart& chart = canvas.chart;
  const Glyphs& glyph = canvas.glyph;
  const std::vector<std::string> curves = series_glyphs(canvas);
  std::vector<std::string> entries;
  const auto add = [&](const std::string& sign, const std::string& label, const std::string& value) {
    const bool numbered = label.find_first_of("0123456789") != std::string::npos;
    entries.push_back(numbered ? fmt::format("{} {}", sign, label) : fmt::format("{} {} ({})", sign, label, value));
  };
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (!chart.series[i].label.empty()) entries.push_back(curves[i] + " " + chart.series[i].label);
  }
  for (const Marker& marker : chart.markers) {
    if (!drawable(marker, chart)) continue;
    add(glyph.marker, marker.label, quantity(marker.x, chart.x.unit) + ", " + quantity(marker.y, chart.y.unit));
  }
  for (const Line& line : chart.lines) {
    if (!drawable(line, chart)) continue;
    const std::string value = quantity(line.at, (line.vertical ? chart.x : chart.y).unit);
    add(line.vertical ? glyph.vertical : glyph.horizontal, line.label, value);
  }
  for (const Region& region : chart.regions) {
    if (stretch(region, canvas.frame.x)) add(glyph.hatch, region.label, region_reach(region, chart.x));
  }
  return entries;
}

/// The lines of the plot proper: tick labels, frame and cells, then the x axis and its labels.
std::vector<std::string> framed(TextCanvas& canvas, const std::vector<Tick>& y_ticks, int left) {
  std::vector<std::string> labels(static_cast<std::size_t>(canvas.height));
  for (const Tick& tick : y_ticks) {
    std::string& label = labels[static_cast<std::size_t>(canvas.row(tick.value))];
    if (label.empty()) label = canvas.plain(tick.label);
  }
  std::vector<std::string> lines;
  for (int r = 0; r < canvas.height; ++r) {
    const std::string& label = labels[static_cast<std::size_t>(r)];
    const auto indent = static_cast<std::size_t>(left - 2 - static_cast<int>(canvas.measured(label)));
    std::string line =
        std::string(indent, ' ') + label + " " + (label.empty() ? canvas.glyph.axis : canvas.glyph.y_tick);
    for (int c = 0; c < canvas.width; ++c) line += canvas.cell(r, c).empty() ? " " : canvas.cell(r, c);
    lines.push_back(line);
  }
  const std::vector<Tick> x_ticks = ticks(canvas.frame.x, canvas.chart.x.unit, std::max(2, canvas.width / 9));
  std::string axis = std::string(static_cast<std::size_t>(left - 1), ' ') + canvas.glyph.corner;
  std::vector<bool> ticked(static_cast<std::size_t>(canvas.width));
  for (const Tick& tick : x_ticks) {
    if (!tick.label.empty()) ticked[static_cast<std::size_t>(canvas.column(tick.value))] = true;
  }
  for (const bool tick : ticked) axis += tick ? canvas.glyph.x_tick : canvas.glyph.x_axis;
  lines.push_back(axis);
  lines.push_back(x_labels(canvas, x_ticks, left));
  return lines;
}

/// Entries side by side, as many to a line as fit.
std::vector<std::string> flowed(const TextCanvas& canvas, const std::vector<std::string>& entries, int columns) {
  std::vector<std::string> lines;
  for (const std::string& entry : entries) {
    const std::string text = canvas.fit(entry, columns);
    if (!lines.empty() && canvas.measured(lines.back()) + 3.0 + canvas.measured(text) <= columns) {
      lines.back() += "   " + text;
    } else {
      lines.push_back(text);
    }
  }
  return lines;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string to_text(const Chart& asked, int columns, int rows, bool unicode) {
  const Chart chart = with_coincident_named(asked);
  columns = std::clamp(columns, 0, kLargestSide);
  const std::optional<Frame> axes = frame(chart);
  TextCanvas canvas{chart, axes.value_or(Frame{}), glyphs(unicode), unicode, 0, std::clamp(rows, 4, kLargestSide)};
  std::vector<std::string> lines;
  const auto note = [&](std::string_view text) {
    if (!text.empty()) lines.push_back(canvas.fit(text, columns));
  };
  for (const std::string& text : {chart.title, chart.subtitle}) {
    if (columns < kNarrowest) {
      note(text);
      continue;
    }
    for (const std::string& line : wrapped(canvas.plain(text), columns, column_width)) note(line);
  }
  std::vector<Tick> y_ticks;
  int left = 2;
  if (axes && !chart.y.quiet) y_ticks = ticks(axes->y, chart.y.unit, std::max(2, canvas.height / 3));
  for (const Tick& tick : y_ticks)
    left = std::max(left, 2 + static_cast<int>(canvas.measured(canvas.plain(tick.label))));
  canvas.width = columns - left;
  if (!axes || canvas.width < kNarrowest) {
    note(axes ? "too narrow to draw" : "nothing to draw");
    return joined_lines(lines);
  }
  canvas.cells.resize(static_cast<std::size_t>(canvas.width * canvas.height));
  draw_regions(canvas);
  draw_lines(canvas);
  draw_curves(canvas);
  for (const Marker& marker : chart.markers) {
    if (drawable(marker, chart)) canvas.cell(canvas.row(marker.y), canvas.column(marker.x)) = canvas.glyph.marker;
  }
  write_labels(canvas);
  note(axis_title(chart.y));
  for (const std::string& line : framed(canvas, y_ticks, left)) lines.push_back(line);
  const std::string title = canvas.fit(axis_title(chart.x), columns);
  const int size = static_cast<int>(canvas.measured(title));
  const int indent = std::clamp(left + (canvas.width - size) / 2, 0, columns - size);
  if (!title.empty()) lines.push_back(std::string(static_cast<std::size_t>(indent), ' ') + title);
  for (const std::string& line : flowed(canvas, legend(canvas), columns)) lines.push_back(line);
  for (const std::string& line : wrapped(canvas.plain(chart.footer), columns, column_width)) lines.push_back(line);
  return joined_lines(lines);
}

}  // namespace ridge::report
