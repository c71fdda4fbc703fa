#include "report/chart/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "report/chart/chart_axis.hpp"

namespace chart_test {

using namespace ridge::report;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> labels(const Domain& domain, const std::string& unit, int target = 8) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks(domain, unit, target)) {
    if (!tick.label.empty()) result.push_back(tick.label);
  }
  return result;
}

/// Every start tag has its end tag in the right order, every attribute its quotes, every ampersand its semicolon.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t i = 0;
  while (i < xml.size()) {
    if (xml[i] == '&' && xml.find(';', i) > i + 6) return false;
    if (xml[i] == '>') return false;
    if (xml[i++] != '<') continue;
    const std::size_t end = xml.find('>', i);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(i, end - i);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    i = end + 1;
  }
  return open.empty();
}

/// The values of an attribute, in the order of the document.
std::vector<std::string> attributes(const std::string& xml, const std::string& name) {
  std::vector<std::string> result;
  const std::string key = " " + name + "=\"";
  for (std::size_t i = xml.find(key); i != std::string::npos; i = xml.find(key, i + 1)) {
    const std::size_t start = i + key.size();
    result.push_back(xml.substr(start, xml.find('"', start) - start));
  }
  return result;
}

struct Placed {
  std::string text;
  double left, right, y;
};

/// The horizontal labels inside the plot (those with a halo), at 6.5 pixels a character.
std::vector<Placed> plot_labels(const std::string& svg) {
  std::vector<Placed> result;
  for (std::size_t i = svg.find("<text "); i != std::string::npos; i = svg.find("<text ", i + 1)) {
    const std::string element = svg.substr(i, svg.find("</text>", i) - i);
    if (element.find("halo") == std::string::npos || element.find("rotate") != std::string::npos) continue;
    const std::string text = element.substr(element.find('>') + 1), anchor = attributes(element, "text-anchor")[0];
    const double x = std::stod(attributes(element, "x")[0]), width = 6.5 * static_cast<double>(text.size());
    const double left = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2.0;
    result.push_back({text, left, left + width, std::stod(attributes(element, "y")[0])});
  }
  return result;
}

Chart step_time() {
  Chart chart{.title = "Step time", .x = {"Batch", "sequences"}, .y = {"Step time", "s"}};
  Series weights{"weights", {}, {}}, context{"context", {}, {}}, step{"step", {}, {}, true};
  for (double batch = 1.0; batch <= 65536.0; batch *= 2.0) {
    for (Series* series : {&weights, &context, &step}) series->x.push_back(batch);
    weights.y.push_back(1.165e-3);
    context.y.push_back(1e-6 * batch);
    step.y.push_back(1.165e-3 + 1e-6 * batch);
  }
  chart.series = {step, weights, context};
  chart.markers = {{1.0, 1.166e-3, "batch 1, at the left edge"}, {65536.0, 6.67e-2, "batch 65,536, at the right edge"}};
  chart.lines = {{true, 2347.0, "ridge 2,347"}, {true, 2500.0, "the next line"}, {false, 1.165e-3, "latency floor"}};
  chart.regions = {{20000.0, kInfinity, "does not fit"}};
  return chart;
}

Chart one_series(std::vector<double> x, std::vector<double> y, Scale scale) {
  return {.x = {"x", "", scale}, .y = {"y", "", scale}, .series = {{"curve", std::move(x), std::move(y)}}};
}

double luminance(const std::string& color) {
  const auto channel = [&](std::size_t at) {
    const double value = std::stoi(color.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

std::string property(const std::string& css, const std::string& name) {
  return css.substr(css.find("--ridge-" + name + ":") + name.size() + 9, 7);
}

}  // namespace

TEST_CASE("a logarithmic axis labels its decades with SI prefixes and leaves 2 to 9 to the minor grid") {
  const Domain domain{1.0, 1e5, Scale::logarithmic};
  CHECK(labels(domain, "") == std::vector<std::string>{"1", "10", "100", "1k", "10k", "100k"});
  CHECK(ticks(domain, "", 8).size() == 6 + 5 * 8);
}

TEST_CASE("tick labels carry seconds and dollars") {
  CHECK(labels({1e-6, 10.0, Scale::logarithmic}, "s") ==
        std::vector<std::string>{"1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"});
  CHECK(labels({0.05, 5.0, Scale::logarithmic}, "$/Mtok") ==
        std::vector<std::string>{"$0.05", "$0.10", "$0.20", "$0.50", "$1.00", "$2.00", "$5.00"});
  CHECK(labels({1e-3, 1e3, Scale::logarithmic}, "$/Mtok") ==
        std::vector<std::string>{"$0.001", "$0.01", "$0.10", "$1.00", "$10", "$100", "$1k"});
}

TEST_CASE("an axis from seconds to a month is labeled in minutes, hours and days") {
  CHECK(labels({1.0, 5e6, Scale::logarithmic}, "s") ==
        std::vector<std::string>{"1 s", "10 s", "1 min", "10 min", "1 h", "1 d", "10 d"});
}

TEST_CASE(
    "a logarithmic axis shorter than two decades is labeled at 1, 2 and 5, and in even steps below a factor of four") {
  CHECK(labels({1.0, 10.0, Scale::logarithmic}, "") == std::vector<std::string>{"1", "2", "5", "10"});
  CHECK(labels({2.0, 5.0, Scale::logarithmic}, "", 6) ==
        std::vector<std::string>{"2", "2.5", "3", "3.5", "4", "4.5", "5"});
}

TEST_CASE("a linear axis counts in steps of 1, 2 or 5") {
  CHECK(labels({0.0, 2000.0, Scale::linear}, "", 4) == std::vector<std::string>{"0", "500", "1k", "1.5k", "2k"});
  CHECK(labels({-1.0, 1.0, Scale::linear}, "", 4) == std::vector<std::string>{"-1", "-0.5", "0", "0.5", "1"});
  CHECK(labels({0.0, 20.0, Scale::linear}, "$", 4) == std::vector<std::string>{"$0", "$5.00", "$10", "$15", "$20"});
}

TEST_CASE("an axis of 600 decades keeps to about as many labels as asked") {
  const std::vector<std::string> all = labels({1e-300, 1e300, Scale::logarithmic}, "");
  CHECK(all.size() >= 3);
  CHECK(all.size() <= 9);
}

TEST_CASE("domains end on 1-2-5 steps around the values") {
  const Domain batch = *domain({1.0, 65536.0}, Scale::logarithmic), time = *domain({2.3e-7, 0.3}, Scale::logarithmic);
  CHECK(batch.low == doctest::Approx(1.0));
  CHECK(batch.high == doctest::Approx(1e5));
  CHECK(time.low == doctest::Approx(2e-7));
  CHECK(time.high == doctest::Approx(0.5));
  // 10 to 427 comes within a third of zero; 427 / 6 = 71 is stepped by 100
  CHECK(domain({10.0, 427.0}, Scale::linear)->low == 0.0);
  CHECK(domain({10.0, 427.0}, Scale::linear)->high == doctest::Approx(500.0));
  CHECK_FALSE(domain({kNan, kInfinity, -1.0, 0.0}, Scale::logarithmic).has_value());
}

TEST_CASE("a constant gives a domain of some width around it") {
  for (double value : {1.0, 2.0, 3.0, 1e-300, 1e300}) {
    CAPTURE(value);
    const Domain log = *domain({value, value}, Scale::logarithmic);
    CHECK(log.low <= value * (1.0 + 1e-9));
    CHECK(log.high >= value * (1.0 - 1e-9));
    CHECK(log.high >= 1.5 * log.low);
  }
  for (double value : {0.0, 5.0, -5.0, 1e-310, 1e15, 1e300, -1e300}) {
    CAPTURE(value);
    const Domain linear = *domain({value, value}, Scale::linear);
    CHECK(linear.low <= value);
    CHECK(linear.high >= value);
    CHECK(linear.low < linear.high);
  }
}

TEST_CASE("quantities are read to three digits") {
  CHECK(quantity(2347.0, "") == "2.35k");
  CHECK(quantity(999.96, "") == "1k");
  CHECK(quantity(1.16493e-3, "s") == "1.16 ms");
  CHECK(quantity(0.0771, "$/Mtok") == "$0.0771");
  CHECK(quantity(-0.2, "$") == "-$0.20");
  CHECK(quantity(0.0, "s") == "0 s");
  CHECK(quantity(2.5e-7, "") == "2.5e-7");
}

TEST_CASE("crowded labels move no further than they must") {
  // two wishes at 10, 4 apart: 8 and 12; the lone one stays
  CHECK(pushed_apart({10.0, 10.0, 50.0}, 4.0, 0.0, 100.0) == std::vector<double>{8.0, 12.0, 50.0});
  CHECK(pushed_apart({0.0, 0.0}, 4.0, 0.0, 100.0) == std::vector<double>{0.0, 4.0});
  CHECK(pushed_apart({100.0, 100.0}, 4.0, 0.0, 100.0) == std::vector<double>{96.0, 100.0});
}

TEST_CASE("the SVG is well-formed XML and says who it is") {
  const std::string svg = to_svg(step_time());
  CHECK(well_formed(svg));
  CHECK(svg.find("viewBox=\"0 0 880 540\"") != std::string::npos);
  CHECK(svg.find("role=\"img\"") != std::string::npos);
  CHECK(svg.find("<desc ") != std::string::npos);
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(svg == to_svg(step_time()));
}

TEST_CASE("the scanner of this file rejects what is not well-formed") {
  CHECK(well_formed("<a b=\"c\"><d/>&amp;</a>"));
  for (const char* bad : {"<a>", "<a></b>", "<a b=\"c></a>", "<a>&</a>", "<a>></a>", "</a>"})
    CHECK_FALSE(well_formed(bad));
}

TEST_CASE("coordinates have at most two decimals") {
  const std::string svg = to_svg(step_time());
  const std::string drawing = svg.substr(svg.find("</style>"));
  for (const char* name : {"d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "width", "height", "transform"}) {
    for (const std::string& value : attributes(drawing, name)) {
      CAPTURE(value);
      for (std::size_t i = value.find('.'); i != std::string::npos; i = value.find('.', i + 1)) {
        const std::size_t end = std::min(value.find_first_not_of("0123456789", i + 1), value.size());
        CHECK(end - (i + 1) <= 2);
      }
    }
  }
}

TEST_CASE("markup, control characters and broken UTF-8 in any text never reach the SVG") {
  const std::string hostile = "<b>&\"'\x01\x1b[31m\xff\xc3 \xed\xa0\x80 \xef\xbf\xbf é";
  Chart chart = step_time();
  chart.title = chart.subtitle = chart.footer = chart.x.label = chart.y.label = chart.x.unit = hostile;
  for (Series& series : chart.series) series.label = hostile;
  for (Marker& marker : chart.markers) marker.label = hostile;
  for (Line& line : chart.lines) line.label = hostile;
  for (Region& region : chart.regions) region.label = hostile;
  const std::string svg = to_svg(chart);
  CHECK(well_formed(svg));
  CHECK(svg.find("<b>") == std::string::npos);
  CHECK(svg.find("&lt;b&gt;&amp;&quot;&#39;  [31m?? ??? ??? é") != std::string::npos);
  for (const bool unicode : {false, true}) {
    const std::string text = to_text(chart, 80, 10, unicode);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\xff') == std::string::npos);
  }
}

TEST_CASE("a line breaks at points that cannot be drawn") {
  const Chart chart =
      one_series({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, kNan, 3, 4, kInfinity, -1, 5, 6}, Scale::logarithmic);
  const std::vector<Run> runs = drawable_runs(chart.series[0], chart);
  REQUIRE(runs.size() == 3);
  CHECK(runs[1].front().x == 4.0);
  CHECK(runs[1].size() == 2);
  const std::string svg = to_svg(chart);
  const std::size_t curve = svg.find("stroke-width=\"2\"");
  REQUIRE(curve != std::string::npos);
  const std::string path = svg.substr(svg.rfind("<path", curve), 200);
  CHECK(std::count(path.begin(), path.end(), 'M') >= 3);
  CHECK(to_svg(one_series({1, 2}, {-1, -2}, Scale::linear)).find("nothing to draw") == std::string::npos);
}

TEST_CASE("a chart without a drawable point says that there is nothing to draw") {
  const std::vector<Chart> charts = {Chart{}, one_series({}, {}, Scale::linear), one_series({1}, {kNan}, Scale::linear),
                                     one_series({0}, {0}, Scale::logarithmic), one_series({1, 2}, {}, Scale::linear)};
  for (const Chart& chart : charts) {
    CHECK(well_formed(to_svg(chart)));
    CHECK(to_svg(chart).find(">nothing to draw<") != std::string::npos);
    CHECK(to_text(chart, 80, 10, true) == "nothing to draw\n");
  }
}

TEST_CASE("no pair of values, however odd, breaks a drawing") {
  const std::vector<double> odd = {0.0,    -0.0,  1.0,    -1.0,      5e-324,     1e-310, 1e-300, 1e300,
                                   -1e300, 1e308, -1e308, kInfinity, -kInfinity, kNan,   1e15,   1e15 + 1.0};
  for (double a : odd) {
    for (double b : odd) {
      for (Scale scale : {Scale::linear, Scale::logarithmic}) {
        CAPTURE(a);
        CAPTURE(b);
        Chart chart = one_series({a, b, 1.0}, {b, a}, scale);
        chart.markers = {{a, b, "marker"}};
        chart.lines = {{true, a, "vertical"}, {false, b, "horizontal"}};
        chart.regions = {{a, b, "region"}};
        const std::string svg = to_svg(chart), drawing = svg.substr(svg.find("</style>"));
        CHECK(well_formed(svg));
        CHECK(drawing.find("=\"nan") == std::string::npos);
        CHECK(drawing.find("=\"inf") == std::string::npos);
        CHECK_FALSE(to_text(chart, 60, 8, false).empty());
      }
    }
  }
}

TEST_CASE("a constant series is drawn as a level line") {
  const std::string svg = to_svg(one_series({1, 10, 100}, {7, 7, 7}, Scale::logarithmic));
  CHECK(well_formed(svg));
  const std::size_t curve = svg.find("stroke-width=\"2\"");
  REQUIRE(curve != std::string::npos);
  const std::string path = attributes(svg.substr(svg.rfind("<path", curve)), "d")[0];
  std::set<std::string> heights;
  for (std::size_t i = path.find(' '); i != std::string::npos; i = path.find(' ', i + 1)) {
    heights.insert(path.substr(i + 1, path.find('L', i) - i - 1));
  }
  CHECK(heights.size() == 1);
}

TEST_CASE("labels stay inside the plot and off each other") {
  const std::string svg = to_svg(step_time());
  const std::string axes = svg.substr(svg.rfind("<path", svg.find("\" class=\"line-muted\"/>")));
  double left = 0, top = 0, bottom = 0, right = 0;
  REQUIRE(std::sscanf(axes.c_str(), "<path d=\"M%lf %lfV%lfH%lf", &left, &top, &bottom, &right) == 4);
  const std::vector<Placed> all = plot_labels(svg);
  CHECK(all.size() == 6);  // two markers, three lines, one region
  for (const Placed& label : all) {
    CAPTURE(label.text);
    CHECK(label.left >= left);
    CHECK(label.right <= right);
    CHECK(label.y - 12.0 >= top);
    CHECK(label.y <= bottom);
    for (const Placed& other : all) {
      if (&other == &label) continue;
      CAPTURE(other.text);
      CHECK((std::abs(other.y - label.y) > 12.0 || other.left > label.right || other.right < label.left));
    }
  }
}

TEST_CASE("labels at coinciding line ends are pushed apart, in the order of the lines") {
  Chart chart = step_time();
  chart.series.clear();
  for (int i = 0; i < 4; ++i)
    chart.series.push_back({"curve " + std::to_string(i), {1, 65536}, {10.0 + i, 1.0 + 1e-6 * i}});
  const std::string svg = to_svg(chart);
  double above = 0.0;
  for (int i = 3; i >= 0; --i) {
    const std::size_t label = svg.find(">curve " + std::to_string(i) + "</text>");
    REQUIRE(label != std::string::npos);
    const double y = std::stod(attributes(svg.substr(svg.rfind("<text", label)), "y")[0]);
    CHECK(y >= above + 15.0);
    above = y;
  }
}

TEST_CASE("the bold series is thicker than the others and drawn after them") {
  const std::string svg = to_svg(step_time());
  CHECK(svg.find("stroke-width=\"3.5\"") > svg.rfind("stroke-width=\"2\"><title>"));
  CHECK(svg.find("stroke-width=\"3.5\"") != std::string::npos);
}

TEST_CASE("up to seven thin series differ by their dashes alone") {
  Chart chart = step_time();
  chart.series.clear();
  for (int i = 0; i < 7; ++i) chart.series.push_back({"curve " + std::to_string(i), {1, 10}, {1.0 + i, 2.0 + i}});
  chart.lines.clear();
  const std::vector<std::string> dashes = attributes(to_svg(chart), "stroke-dasharray");
  CHECK(dashes.size() == 6);
  CHECK(std::set<std::string>(dashes.begin(), dashes.end()).size() == 6);
}

TEST_CASE("every color of words and curves has a contrast of 4.5 to the paper, light and dark") {
  const std::string svg = to_svg(step_time());
  const std::size_t dark = svg.find("@media");
  for (const std::string& css : {svg.substr(svg.find("<style>"), dark - svg.find("<style>")), svg.substr(dark)}) {
    for (const char* name :
         {"ink", "muted", "hbm", "compute", "network", "bad", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"}) {
      CAPTURE(name);
      const double a = luminance(property(css, name)), b = luminance(property(css, "paper"));
      CHECK((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05) >= 4.5);
    }
  }
}

TEST_CASE("a region without end is hatched to the end of the axis, a reversed one not at all") {
  const Domain x{1.0, 1e4, Scale::logarithmic};
  CHECK(stretch({100.0, kInfinity, ""}, x)->from == doctest::Approx(0.5));
  CHECK(stretch({100.0, kInfinity, ""}, x)->to == 1.0);
  CHECK(stretch({-kInfinity, 100.0, ""}, x)->from == 0.0);
  CHECK_FALSE(stretch({100.0, 10.0, ""}, x).has_value());
  CHECK_FALSE(stretch({1e5, kInfinity, ""}, x).has_value());
  CHECK_FALSE(stretch({kNan, kInfinity, ""}, x).has_value());
}

TEST_CASE("no line of the text plot is wider than the columns given") {
  Chart chart = step_time();
  chart.title = "a title that is longer than a narrow terminal, with 漢字 and µ";
  chart.footer = "a footer with averyveryverylongwordthatdoesnotfitonanylineofanarrowterminal and an end";
  for (int columns = -1; columns <= 120; ++columns) {
    for (bool unicode : {false, true}) {
      CAPTURE(columns);
      const std::string text = to_text(chart, columns, 12, unicode);
      std::size_t start = 0;
      for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
        const std::string_view line(text.data() + start, end - start);
        // each of 漢字 takes two columns
        const long wide = 2 * static_cast<long>(line.find("漢字") != std::string_view::npos);
        const long size = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }) + wide;
        CHECK(size <= std::max(columns, 0));
        start = end + 1;
      }
    }
  }
}

TEST_CASE("the plain text plot is ASCII") {
  Chart chart = step_time();
  chart.subtitle = "72 × GB200, ≤ 30 ms, β";
  const std::string text = to_text(chart, 80, 12, false);
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  CHECK(text.find("72 x GB200, <= 30 ms, ?") != std::string::npos);
}

TEST_CASE("the text plot shows curves, region, line and legend with the same signs") {
  const std::string text = to_text(step_time(), 80, 12, false);
  for (const char* sign :
       {"# step", "* weights", "+ context", "| ridge 2,347", "/ does not fit", "@ batch 1", "///", "###"}) {
    CAPTURE(sign);
    CHECK(text.find(sign) != std::string::npos);
  }
  const std::string drawn = to_text(step_time(), 80, 12, true);
  for (const char* sign : {"░░░", "┊ ridge 2,347", "█ step"}) CHECK(drawn.find(sign) != std::string::npos);
}

TEST_CASE("years are written as people write dates, never with a decimal") {
  const auto dates = [](double low, double high, int target) {
    std::string all;
    for (const Tick& tick : ticks({low, high, Scale::linear}, "year", target)) all += tick.label + " ";
    return all;
  };
  // three and a half years in eight steps are half years: January has no month
  CHECK(dates(2023.5, 2027, 8) == "2023-07 2024 2024-07 2025 2025-07 2026 2026-07 2027 ");
  CHECK(dates(2024, 2025, 4) == "2024 2024-04 2024-07 2024-10 2025 ");
  CHECK(dates(2000, 2030, 6) == "2000 2005 2010 2015 2020 2025 2030 ");
  CHECK(quantity(2026.25, "year") == "2026-04");
}

TEST_CASE("lines that lie on each other are drawn once, under both names; lines that only meet are not") {
  Chart chart = one_series({1, 10, 100}, {1, 2, 4}, Scale::logarithmic);
  chart.series.push_back({"twin", {1, 3.1622776601683795, 10, 100}, {1, 1.4142135623730951, 2, 4}});  // on its segments
  chart.series.push_back({"other", {1, 10, 100}, {1, 2, 40}});  // the same for half of the way
  const Chart named = with_coincident_named(chart);
  REQUIRE(named.series.size() == 2);
  CHECK(named.series[0].label == "curve and twin");
  CHECK(named.series[1].label == "other");
  CHECK(to_text(chart, 80, 10, true).find("curve and twin") != std::string::npos);
  chart.series[1].bold = true;  // of those the bold one stays
  CHECK(with_coincident_named(chart).series[0].bold);
}

TEST_CASE("points on one spot share a dot that has all their names") {
  Chart chart = step_time();
  chart.markers = {{100.0, 2e-3, "first"}, {100.0, 2e-3, "second"}, {1000.0, 2e-3, "third"}};
  const Chart named = with_coincident_named(chart);
  REQUIRE(named.markers.size() == 2);
  CHECK(named.markers[0].label == "first, second");
}

TEST_CASE("levels hold until the next point") {
  Chart chart = one_series({2024, 2025, 2026}, {75, 25, 25}, Scale::linear);
  chart.series[0].shape = Shape::steps;
  const std::vector<Run> runs = drawable_runs(chart.series[0], chart);
  REQUIRE(runs.size() == 1);
  // (2024, 75) to (2025, 75), down to (2025, 25), on to (2026, 25)
  const std::vector<std::pair<double, double>> wanted = {{2024, 75}, {2025, 75}, {2025, 25}, {2026, 25}, {2026, 25}};
  REQUIRE(runs[0].size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(runs[0][i].x == wanted[i].first);
    CHECK(runs[0][i].y == wanted[i].second);
  }
}

TEST_CASE("measured points are diamonds that no line joins") {
  Chart chart = step_time();
  chart.series.push_back(
      {.label = "3 measured runs", .x = {10, 100, 1000}, .y = {2e-3, 3e-3, 4e-3}, .shape = Shape::measured});
  const std::string svg = to_svg(chart);
  CHECK(well_formed(svg));
  const std::size_t title = svg.find("<title>3 measured runs</title>");
  REQUIRE(title != std::string::npos);
  const std::string path = attributes(svg.substr(svg.rfind("<path", title)), "d")[0];
  CHECK(std::count(path.begin(), path.end(), 'M') == 3);
  CHECK(std::count(path.begin(), path.end(), 'z') == 3);
  CHECK(to_text(chart, 80, 12, true).find("◆ 3 measured runs") != std::string::npos);
}

TEST_CASE("a whisker reaches as far as its interval, and the axis as far as the whisker") {
  Chart chart = one_series({1, 10}, {1, 10}, Scale::logarithmic);
  chart.markers = {{.x = 10, .y = 10, .label = "best", .low = 0.05, .high = 300}};
  const std::optional<Frame> axes = frame(chart);
  REQUIRE(axes);
  CHECK(axes->y.low <= 0.05);
  CHECK(axes->y.high >= 300);
  CHECK(to_svg(chart).find("h8m-4 0V") != std::string::npos);
}

TEST_CASE("a long title is broken in two, not cut") {
  Chart chart = step_time();
  chart.title =
      "A finding that takes more than one line of a picture, because it says what was asked, on what, and what came of "
      "it";
  const std::string svg = to_svg(chart);
  std::string drawn;
  for (std::size_t i = svg.find("class=\"title fill-ink\">"); i != std::string::npos;
       i = svg.find("class=\"title fill-ink\">", i + 1)) {
    const std::size_t start = svg.find('>', i) + 1;
    drawn += (drawn.empty() ? "" : " ") + svg.substr(start, svg.find('<', start) - start);
  }
  CHECK(drawn == chart.title);
}

TEST_CASE("parameters and dollars are counted in billions, other things in giga") {
  CHECK(quantity(4.35e11, "params") == "435B");
  CHECK(quantity(1.2e9, "$") == "$1.2B");
  CHECK(quantity(1.2e9, "") == "1.2G");
  CHECK(axis_title({"cost of output, $/Mtok", "$/Mtok"}) == "cost of output, $/Mtok");
  CHECK(axis_title({"active parameters", "params"}) == "active parameters");
}

TEST_CASE("panels stand side by side, each with its own axis") {
  ChartPanels panels{.title = "Two quantities",
                     .panels = {step_time(), one_series({1, 10}, {1, 2}, Scale::logarithmic)}};
  panels.panels[0].title = "left";
  panels.panels[1].title = "right";
  const std::string svg = to_svg(panels);
  CHECK(well_formed(svg));
  const auto x_of = [&](const char* words) {
    const std::size_t at = svg.find(words);
    REQUIRE(at != std::string::npos);
    return std::stod(attributes(svg.substr(svg.rfind("<text", at)), "x")[0]);
  };
  CHECK(x_of(">left</text>") == doctest::Approx(24));    // the page's margin
  CHECK(x_of(">right</text>") == doctest::Approx(460));  // 24 + (880 - 48 - 40) / 2 + 40
  CHECK(svg.find("100 ms") != std::string::npos);        // the left one's times
}

}  // namespace chart_test
