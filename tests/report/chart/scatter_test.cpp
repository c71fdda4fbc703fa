#include "report/chart/scatter.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace scatter_test {

using namespace ridge::report;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

Scatter one_panel() {
  Scatter scatter;
  scatter.title = "Predicted <against> measured";
  scatter.subtitle = "3 runs, mean error 10.0 %";
  scatter.what = "TPOT";
  scatter.bands = {"within 10 %", "within 25 %"};
  scatter.panels = {{"", "", {{"a", "2 runs", {0.001, 0.1}, {0.001, 0.1}}, {"b", "1 run", {0.01}, {0.02}}}}};
  return scatter;
}

}  // namespace

TEST_CASE("a point that is predicted as measured lies on the diagonal") {
  // the axes run from 1 ms to 100 ms over 450 px from (86, 98): 1 ms is (86, 548), 100 ms is (536, 98)
  const std::string svg = to_svg(one_panel());
  CHECK(svg.find("M86 548h0M536 98h0") != std::string::npos);
  CHECK(svg.find("<path d=\"M86 548L536 98\" class=\"line-ink\"") != std::string::npos);
}

TEST_CASE("few points are large enough to be seen, in several panels too") {
  Scatter scatter = one_panel();
  scatter.panels.push_back(scatter.panels.front());
  CHECK(to_svg(scatter).find("stroke-width=\"9\" stroke-linecap=\"round\" stroke-opacity=\"0.55\"") !=
        std::string::npos);
  scatter.panels.front().groups.front().measured.assign(100, 0.001);
  scatter.panels.front().groups.front().predicted.assign(100, 0.001);
  CHECK(to_svg(scatter).find("stroke-width=\"4\" stroke-linecap=\"round\" stroke-opacity=\"0.55\"") !=
        std::string::npos);
}

TEST_CASE("the bands are parallel to the diagonal, by the logarithm of what they stand for") {
  // 225 px a decade: 25 % above is 225·lg 1.25 = 21.8 px up, 25 % below 225·lg 0.75 = -28.1 px, so 28.1 down
  const std::string svg = to_svg(one_panel());
  CHECK(svg.find("M86 526.2L536 76.2V126.11L86 576.11z") != std::string::npos);
}

TEST_CASE("groups differ by color and by shape, and each has a line in the legend") {
  const std::string svg = to_svg(one_panel());
  CHECK(count_of(svg, ">a</text>") == 1);
  CHECK(count_of(svg, ">2 runs</text>") == 1);
  CHECK(count_of(svg, "class=\"line-c0\" stroke-width") == 2);  // dots: the cloud and its sign
  CHECK(count_of(svg, "class=\"fill-c1\" fill-opacity") == 2);  // squares
  CHECK(svg.find("Predicted &lt;against&gt; measured") != std::string::npos);
}

TEST_CASE("points that a logarithm cannot show are left out, and none at all says so") {
  Scatter scatter = one_panel();
  scatter.panels[0].groups = {{"a", "", {0, -1, 1}, {1, 1, 0}}};
  CHECK(to_svg(scatter).find("nothing to draw") != std::string::npos);
  CHECK(to_svg(Scatter{}).find("nothing to draw") != std::string::npos);
}

TEST_CASE("several panels have one legend, and a group looks the same in all of them") {
  Scatter scatter = one_panel();
  scatter.panels.push_back({"second", "1 row", {{"b", "1 run", {0.01}, {0.02}}}});
  scatter.panels[0].title = "first";
  const std::string svg = to_svg(scatter);
  CHECK(count_of(svg, ">b</text>") == 1);
  CHECK(count_of(svg, "<title>b</title>") == 2);
  CHECK(count_of(svg, "class=\"fill-c1\" fill-opacity") == 3);
  CHECK(count_of(svg, "<clipPath") == 2);
  CHECK(to_svg(scatter) == svg);
}

}  // namespace scatter_test
