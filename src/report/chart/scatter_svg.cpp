#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "report/chart/chart_axis.hpp"
#include "report/chart/chart_svg_style.hpp"
#include "report/chart/scatter.hpp"

namespace ridge::report {

namespace {

constexpr double kScatterTop = 86.0;
constexpr std::size_t kScatterColumns = 3;
constexpr std::string_view kWideOpacity = "0.35", kNarrowOpacity = "0.6";  // the narrow band lies on the wide one

struct Square {
  double x, y, size;
};

/// One panel in progress: both axes have the same domain, so that the diagonal is the line of no error.
struct PanelCanvas {
  Square plot;
  Domain axis;
  std::string clip;

  double along(double value) const {
    const double low = std::log10(axis.low), high = std::log10(axis.high);
    return plot.size * (std::log10(value) - low) / (high - low);
  }
  double x_of(double value) const { return plot.x + along(value); }
  double y_of(double value) const { return plot.y + plot.size - along(value); }
};

std::string words_at(double x, double y, std::string_view text, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", svg::px(x), svg::px(y), attributes, svg::escaped(text));
}

bool positive(const ScatterGroup& group, std::size_t i) {
  return drawable(group.measured[i], Scale::logarithmic) && drawable(group.predicted[i], Scale::logarithmic);
}

std::size_t points_of(const ScatterGroup& group) { return std::min(group.measured.size(), group.predicted.size()); }

std::optional<Domain> axis_of(const ScatterPanel& panel) {
  std::vector<double> values;
  for (const ScatterGroup& group : panel.groups) {
    for (std::size_t i = 0; i < points_of(group); ++i) {
      if (!positive(group, i)) continue;
      values.push_back(group.measured[i]);
      values.push_back(group.predicted[i]);
    }
  }
  return domain(values, Scale::logarithmic);
}

/// Between predicted = measured·(1 - share) and measured·(1 + share).
std::string band(const PanelCanvas& canvas, double share, std::string_view opacity) {
  const double low = canvas.axis.low, high = canvas.axis.high;
  return fmt::format("<path d=\"M{0} {1}L{2} {3}V{4}L{0} {5}z\" class=\"fill-hatch\" fill-opacity=\"{6}\" {7}/>\n",
                     svg::px(canvas.x_of(low)), svg::px(canvas.y_of(low * (1 + share))), svg::px(canvas.x_of(high)),
                     svg::px(canvas.y_of(high * (1 + share))), svg::px(canvas.y_of(high * (1 - share))),
                     svg::px(canvas.y_of(low * (1 - share))), opacity, canvas.clip);
}

std::string axes(const PanelCanvas& canvas, const std::string& unit, int target) {
  const Square& plot = canvas.plot;
  const double right = plot.x + plot.size, bottom = plot.y + plot.size;
  std::string minor, major, labels;
  double last_end = -1e300;  // where the last label along the x axis ends
  for (const Tick& tick : ticks(canvas.axis, unit, target)) {
    const double x = canvas.x_of(tick.value), y = canvas.y_of(tick.value);
    (tick.label.empty() ? minor : major) += fmt::format("M{} {}V{}M{} {}H{}", svg::px(x), svg::px(plot.y),
                                                        svg::px(bottom), svg::px(plot.x), svg::px(y), svg::px(right));
    if (tick.label.empty()) continue;
    const double half = 0.5 * svg::width_of(tick.label);
    if (x - half > last_end) {
      labels += words_at(x, bottom + 18.0, tick.label, "text-anchor=\"middle\" class=\"fill-muted\"");
      last_end = x + half + 4.0;
    }
    labels += words_at(plot.x - 7.0, y + 4.5, tick.label, "text-anchor=\"end\" class=\"fill-muted\"");
  }
  std::string out;
  if (!minor.empty()) out += fmt::format("<path d=\"{}\" class=\"line-minor\"/>\n", minor);
  out += fmt::format("<path d=\"{}\" class=\"line-grid\"/>\n", major);
  out += fmt::format("<path d=\"M{} {}V{}H{}\" class=\"line-muted\"/>\n", svg::px(plot.x), svg::px(plot.y),
                     svg::px(bottom), svg::px(right));
  return out + labels;
}

/// Shapes by group, so that color is not all: a dot, a square, a triangle, a diamond, a triangle upside down, a cross.
std::string shape_at(std::size_t group, double x, double y, double r) {
  const auto number = [](double value) { return decimal(value, 0.1); };
  const auto path = [&](double dx, double dy, std::string_view rest) {
    return fmt::format("M{} {}{}", number(x + dx), number(y + dy), rest);
  };
  const std::string one = number(r), two = number(2 * r);
  switch (group % kMostGroups) {
    case 1:
      return path(-0.9 * r, -0.9 * r, fmt::format("h{0}v{0}h-{0}z", number(1.8 * r)));
    case 2:
      return path(0, -r, fmt::format("l{0} {1}h-{1}z", one, two));
    case 3:
      return path(0, -r, fmt::format("l{0} {0}l-{0} {0}l-{0}-{0}z", one));
    case 4:
      return path(0, r, fmt::format("l{0}-{1}h-{1}z", one, two));
    case 5:
      return path(-r, -r, fmt::format("l{0} {0}m-{0} 0l{0}-{0}", two));
    default:
      return path(0, 0, "h0");  // its round cap is the dot
  }
}

/// What a group's shapes are painted with.
std::string paint_of(std::size_t group, double r, bool opaque) {
  const std::size_t color = group % svg::kSeriesColors, shape = group % kMostGroups;
  const std::string_view opacity = opaque ? "1" : "0.55";
  if (shape == 0)
    return fmt::format("class=\"line-c{}\" stroke-width=\"{}\" stroke-linecap=\"round\" stroke-opacity=\"{}\"", color,
                       svg::px(2.0 * r), opacity);
  if (shape == 5) return fmt::format("class=\"line-c{}\" stroke-width=\"1.3\" stroke-opacity=\"{}\"", color, opacity);
  return fmt::format("class=\"fill-c{}\" fill-opacity=\"{}\"", color, opacity);
}

std::string cloud(const PanelCanvas& canvas, const ScatterGroup& group, std::size_t which, double r) {
  std::set<std::string> seen;  // points on one spot are drawn once
  std::string path;
  for (std::size_t i = 0; i < points_of(group); ++i) {
    if (!positive(group, i)) continue;
    const std::string shape = shape_at(which, canvas.x_of(group.measured[i]), canvas.y_of(group.predicted[i]), r);
    if (seen.insert(shape).second) path += shape;
  }
  if (path.empty()) return {};
  return fmt::format("<path d=\"{}\" {}><title>{}</title></path>\n", path, paint_of(which, r, false),
                     svg::escaped(group.label));
}

/// The labels of all panels, in the order they come.
std::vector<std::string> labels_of(const Scatter& scatter) {
  std::vector<std::string> labels;
  for (const ScatterPanel& panel : scatter.panels) {
    for (const ScatterGroup& group : panel.groups) {
      if (std::find(labels.begin(), labels.end(), group.label) == labels.end()) labels.push_back(group.label);
    }
  }
  return labels;
}

std::string panel_svg(const PanelCanvas& canvas, const Scatter& scatter, const ScatterPanel& panel, int target) {
  const std::vector<std::string> labels = labels_of(scatter);
  constexpr std::size_t kFew = 60;  // each is looked at by itself
  std::size_t points = 0;
  for (const ScatterGroup& group : panel.groups) points += points_of(group);
  const double r = points < kFew ? 4.5 : scatter.panels.size() > 1 ? 2.0 : 3.2;
  const double low = canvas.axis.low, high = canvas.axis.high;
  std::string out = band(canvas, kWideBand, kWideOpacity) + band(canvas, kNarrowBand, kNarrowOpacity);
  out += axes(canvas, scatter.unit, target);
  out += fmt::format("<path d=\"M{} {}L{} {}\" class=\"line-ink\" stroke-width=\"1.25\"/>\n", svg::px(canvas.x_of(low)),
                     svg::px(canvas.y_of(low)), svg::px(canvas.x_of(high)), svg::px(canvas.y_of(high)));
  // the largest groups first: the small ones lie above them
  std::vector<const ScatterGroup*> order;
  for (const ScatterGroup& group : panel.groups) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return points_of(*a) > points_of(*b); });
  for (const ScatterGroup* group : order) {
    const auto which = std::find(labels.begin(), labels.end(), group->label) - labels.begin();
    out += cloud(canvas, *group, static_cast<std::size_t>(which), r);
  }
  return out;
}

/// Markers, bands and what they mean, from a corner down.
std::string legend_at(double x, double y, double width, const Scatter& scatter) {
  std::string out;
  const std::vector<std::string> labels = labels_of(scatter);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::string detail;
    for (const ScatterPanel& panel : scatter.panels) {
      for (const ScatterGroup& group : panel.groups) {
        if (group.label == labels[i] && detail.empty()) detail = group.detail;
      }
    }
    out += fmt::format("<path d=\"{}\" {}/>\n", shape_at(i, x + 6.0, y - 4.5, 5.0), paint_of(i, 5.0, true));
    out +=
        words_at(x + 22.0, y, svg::cut(labels[i], (width - 22.0) / 1.1), fmt::format("class=\"strong fill-c{}\"", i));
    const auto measure = [](const std::string& c) { return svg::pixel_width(c); };
    const std::vector<std::string> lines = wrapped(detail, width - 22.0, measure);
    for (std::size_t line = 0; line < std::min<std::size_t>(lines.size(), 3); ++line)
      out += words_at(x + 22.0, y + 16.0 * static_cast<double>(line + 1), lines[line], "class=\"fill-muted\"");
    y += 24.0 + 16.0 * static_cast<double>(std::min<std::size_t>(lines.size(), 3)) + (lines.empty() ? 0.0 : 2.0);
  }
  y += 6.0;
  out +=
      fmt::format("<path d=\"M{} {}h14\" class=\"line-ink\" stroke-width=\"1.25\"/>\n", svg::px(x), svg::px(y - 4.5));
  out += words_at(x + 22.0, y, "predicted = measured", "class=\"fill-muted\"");
  for (std::size_t i = 0; i < scatter.bands.size(); ++i) {
    y += 22.0;
    out +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"12\" class=\"fill-hatch\" fill-opacity=\"{}\"/>\n",
                    svg::px(x), svg::px(y - 11.0), i == 0 ? "0.75" : kWideOpacity);
    out += words_at(x + 22.0, y, svg::cut(scatter.bands[i], width - 22.0), "class=\"fill-muted\"");
  }
  return out;
}

/// The chart in words, for those who cannot see it.
std::string scatter_words(const Scatter& scatter) {
  std::string out = scatter.subtitle + ".";
  for (const ScatterPanel& panel : scatter.panels) {
    if (!panel.title.empty()) out += fmt::format(" {}: {}.", panel.title, panel.detail);
    for (const ScatterGroup& group : panel.groups) {
      if (scatter.panels.size() == 1) out += fmt::format(" {}: {}.", group.label, group.detail);
    }
  }
  return out;
}

std::string scatter_id(const Scatter& scatter) {
  std::uint32_t hash = 2166136261U;
  for (char c : scatter.title + scatter_words(scatter)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{:08x}", hash);
}

/// Where panels stand: one large with its legend at the right, or rows of small ones with the legend after the last.
struct ScatterPlaces {
  std::vector<Square> plots;
  double legend_x = 0, legend_y = 0, legend_width = 0, height = 0;
};

ScatterPlaces places_of(std::size_t panels) {
  ScatterPlaces out;
  const double room = svg::kPageWidth - 2.0 * svg::kPageMargin;
  if (panels <= 1) {
    constexpr double kSize = 450.0;
    const Square plot{svg::kPageMargin + 62.0, kScatterTop + 12.0, kSize};
    out.plots.assign(panels, plot);
    out.legend_x = plot.x + kSize + 36.0;
    out.legend_y = plot.y + 16.0;
    out.legend_width = svg::kPageWidth - svg::kPageMargin - out.legend_x;
    out.height = plot.y + kSize + 88.0;
    return out;
  }
  const double cell = room / static_cast<double>(kScatterColumns), size = cell - 78.0, row = size + 88.0;
  for (std::size_t i = 0; i <= panels; ++i) {
    const double x = svg::kPageMargin + cell * static_cast<double>(i % kScatterColumns) + 62.0;
    const double y = kScatterTop + row * static_cast<double>(i / kScatterColumns) + 30.0;
    if (i < panels) {
      out.plots.push_back({x, y, size});
      continue;
    }
    out.legend_x = x;
    out.legend_y = y;
    out.legend_width = svg::kPageWidth - svg::kPageMargin - x;
    out.height = y + size + 80.0;
  }
  return out;
}

}  // namespace

std::string to_svg(const Scatter& scatter) {
  const std::string id = scatter_id(scatter);
  const ScatterPlaces places = places_of(scatter.panels.size());
  const bool several = scatter.panels.size() > 1;
  std::string defs, body;
  bool any = false;
  for (std::size_t i = 0; i < scatter.panels.size(); ++i) {
    const ScatterPanel& panel = scatter.panels[i];
    const Square& plot = places.plots[i];
    if (several) {
      body += words_at(plot.x, plot.y - 25.0, svg::cut(panel.title, plot.size / 1.1), "class=\"strong fill-ink\"");
      body += words_at(plot.x, plot.y - 9.0, svg::cut(panel.detail, plot.size + 12.0), "class=\"fill-muted\"");
    }
    const std::optional<Domain> axis = axis_of(panel);
    if (!axis) continue;
    any = true;
    defs +=
        fmt::format("<clipPath id=\"clip-{0}-{1}\"><rect x=\"{2}\" y=\"{3}\" width=\"{4}\" height=\"{4}\"/></clipPath>",
                    id, i, svg::px(plot.x), svg::px(plot.y), svg::px(plot.size));
    const PanelCanvas canvas{plot, *axis, fmt::format("clip-path=\"url(#clip-{}-{})\"", id, i)};
    body += panel_svg(canvas, scatter, panel, several ? 3 : 8);
    if (several) continue;
    body += words_at(svg::kPageMargin, plot.y - 12.0, "predicted " + scatter.what, "class=\"fill-ink\"");
    body += words_at(plot.x + 0.5 * plot.size, plot.y + plot.size + 40.0, "measured " + scatter.what,
                     "text-anchor=\"middle\" class=\"fill-ink\"");
  }
  if (any) body += legend_at(places.legend_x, places.legend_y, places.legend_width, scatter);
  if (!any)
    body = words_at(0.5 * svg::kPageWidth, 0.5 * places.height, "nothing to draw",
                    "text-anchor=\"middle\" class=\"fill-muted\"");
  const double room = svg::kPageWidth - 2.0 * svg::kPageMargin;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" role=\"img\" class=\"ridge-chart\" "
      "aria-labelledby=\"title-{2} desc-{2}\">\n<title id=\"title-{2}\">{3}</title>\n<desc id=\"desc-{2}\">{4}</desc>\n"
      "{5}<defs>{6}</defs>\n<rect width=\"{0}\" height=\"{1}\" class=\"fill-paper\"/>\n",
      svg::px(svg::kPageWidth), svg::px(places.height), id, svg::escaped(scatter.title),
      svg::escaped(scatter_words(scatter)), svg::stylesheet(), defs);
  out += words_at(svg::kPageMargin, 32.0, svg::cut(scatter.title, room * svg::kTextSize / 19.0),
                  "class=\"title fill-ink\"");
  out += words_at(svg::kPageMargin, 54.0, svg::cut(scatter.subtitle, room), "class=\"fill-muted\"");
  out += body;
  const std::vector<std::string> footer =
      wrapped(scatter.footer, room * svg::kTextSize / 11.0, [](const std::string& c) { return svg::pixel_width(c); });
  for (std::size_t i = 0; i < std::min<std::size_t>(footer.size(), 2); ++i)
    out += words_at(svg::kPageMargin, places.height - 24.0 + 14.0 * static_cast<double>(i), footer[i],
                    "class=\"small fill-muted\"");
  return out + "</svg>\n";
}

}  // namespace ridge::report
