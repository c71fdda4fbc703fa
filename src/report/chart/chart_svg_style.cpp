#include "report/chart/chart_svg_style.hpp"

#include <fmt/format.h>

#include "base/text/clean_text.hpp"
#include "report/chart/chart_axis.hpp"

namespace ridge::report::svg {

namespace {

// HBM is blue, compute orange, network plum, in every chart. Each color but the fills reaches a contrast of 4.5 : 1 with the paper in its mode; tests hold that true.
struct Color {
  std::string_view name, light, dark;
};
constexpr Color kColors[] = {
    {"paper", "#fbfaf6", "#111817"},   {"surface", "#ffffff", "#182120"}, {"ink", "#1d1c1a", "#edefea"},
    {"muted", "#5a564e", "#aeb7b2"},   {"grid", "#dedad0", "#2e3a38"},    {"minor", "#ece9e1", "#222c2a"},
    {"hatch", "#b9b3a6", "#53605d"},   {"hbm", "#0a5ca8", "#7cc4ff"},     {"kv", "#4a8fcb", "#366a96"},
    {"compute", "#b5450b", "#f79b58"}, {"network", "#6c135b", "#ac63f2"}, {"bad", "#a5122a", "#ff8c8c"},
    {"c0", "#0a5ca8", "#7cc4ff"},      {"c1", "#b5450b", "#f79b58"},      {"c2", "#116329", "#56d364"},
    {"c3", "#6c135b", "#ac63f2"},      {"c4", "#0b7285", "#56d4dd"},      {"c5", "#7d5c00", "#e3b341"},
    {"c6", "#a5122a", "#ff8c8c"},      {"c7", "#5a564e", "#aeb7b2"}};

/// "fill:#fff;fill:var(--ridge-paper)": renderers without custom properties keep the light color.
std::string paint(std::string_view property, const Color& color) {
  return fmt::format("{0}:{1};{0}:var(--ridge-{2})", property, color.light, color.name);
}

}  // namespace

double pixel_width(const std::string& character) {
  const char first = character.front();
  if (character.size() > 2) return kTextSize;
  if (std::string_view(" .,:;'|!()[]ijlftr-").find(first) != std::string_view::npos) return 0.40 * kTextSize;
  if (std::string_view("mwMW@%").find(first) != std::string_view::npos) return 0.95 * kTextSize;
  return (first >= 'A' && first <= 'Z' ? 0.69 : 0.61) * kTextSize;
}

double width_of(std::string_view text, bool strong) { return (strong ? 1.1 : 1.0) * text_width(text, pixel_width); }

std::string cut(std::string_view text, double width) { return fitted(text, width, pixel_width, "…"); }

std::string escaped(std::string_view text) {
  std::string result;
  for (const std::string& character : characters(cleaned(text, Allowed::none))) {
    if (character == "&")
      result += "&amp;";
    else if (character == "<")
      result += "&lt;";
    else if (character == ">")
      result += "&gt;";
    else if (character == "\"")
      result += "&quot;";
    else if (character == "'")
      result += "&#39;";
    else
      result += character;
  }
  return result;
}

std::string px(double value) { return decimal(value, 0.01); }

std::string stylesheet() {
  std::string light, dark, rules;
  for (const Color& c : kColors) {
    light += fmt::format("--ridge-{}:{};", c.name, c.light);
    dark += fmt::format("--ridge-{}:{};", c.name, c.dark);
    rules += fmt::format(".ridge-chart .fill-{0}{{{1}}}\n.ridge-chart .line-{0}{{{2}}}\n", c.name, paint("fill", c),
                         paint("stroke", c));
  }
  return fmt::format(
      "<style>\n.ridge-chart{{{}}}\n@media (prefers-color-scheme:dark){{.ridge-chart{{{}}}}}\n"
      ".ridge-chart text{{font-family:system-ui,sans-serif;font-size:{}px}}\n"
      ".ridge-chart .title{{font-size:18px;font-weight:600}}\n.ridge-chart .small{{font-size:11px}}\n"
      ".ridge-chart .strong{{font-weight:600}}\n"
      ".ridge-chart .halo{{{};stroke-width:4px;stroke-linejoin:round;paint-order:stroke}}\n"
      ".ridge-chart path{{fill:none;stroke-linejoin:round}}\n{}</style>\n",
      light, dark, px(kTextSize), paint("stroke", kColors[0]), rules);
}

}  // namespace ridge::report::svg
