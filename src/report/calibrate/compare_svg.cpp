#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "report/calibrate/compare_text.hpp"
#include "report/calibrate/result_words.hpp"
#include "report/chart/scatter.hpp"

namespace ridge::report {

namespace {

/// Points of one figure, by the setting they were predicted for.
ScatterPanel compared_panel(const CompareReport& report, std::string_view key, const char* title) {
  ScatterPanel panel{title, {}, {}};
  for (const ComparedRun& run : report.runs) {
    for (const ComparedFigure& figure : run.figures) {
      if (figure.key != key) continue;
      // "Llama 3.1 8B, TP1 on MI300X platform, 8 GPUs, vllm" in two lines of the legend
      const std::size_t on = run.setting.find(" on ");
      const std::string label = run.setting.substr(0, on),
                        detail = on == std::string::npos ? "" : run.setting.substr(on + 4);
      const auto same = [&](const ScatterGroup& group) { return group.label == label && group.detail == detail; };
      auto group = std::find_if(panel.groups.begin(), panel.groups.end(), same);
      if (group == panel.groups.end()) group = panel.groups.insert(group, ScatterGroup{label, detail, {}, {}});
      group->measured.push_back(figure.measured);
      group->predicted.push_back(figure.predicted);
    }
  }
  return panel;
}

}  // namespace

std::string compare_svg(const CompareReport& report) {
  Scatter chart;
  const auto headline = compare_headline(report);
  chart.title = headline.front().substr(0, headline.front().find(';'));
  chart.subtitle = "predicted (up) against measured (across), log scales; diagonal: no error";
  chart.footer = headline.size() > 2 ? headline[1] : headline.back();
  chart.what = "time";
  chart.bands = {"±10 %", "±25 %"};
  constexpr std::pair<const char*, const char*> kPanels[] = {
      {"tpot", "TPOT"}, {"ttft", "TTFT"}, {"step", "decode step"}, {"prefill", "prefill"}};
  for (const auto& [key, title] : kPanels) {
    ScatterPanel panel = compared_panel(report, key, title);
    if (!panel.groups.empty()) chart.panels.push_back(std::move(panel));
  }
  return chart.panels.empty() ? std::string() : to_svg(chart);
}

}  // namespace ridge::report
