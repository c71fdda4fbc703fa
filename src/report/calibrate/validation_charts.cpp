#include "report/calibrate/validation_charts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace ridge::report {

namespace {

constexpr const char* kOthers = "others";

/// How far off some points are.
struct PointErrors {
  double count = 0, sum = 0, narrow = 0, wide = 0;

  void add(const JudgedPoint& point) {
    const double error = std::abs(point.predicted / point.measured - 1);
    ++count;
    sum += error;
    narrow += error <= kNarrowBand ? 1 : 0;
    wide += error <= kWideBand ? 1 : 0;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
};

PointErrors errors_of(const std::vector<JudgedPoint>& points) {
  PointErrors out;
  for (const JudgedPoint& point : points) out.add(point);
  return out;
}

/// "291 runs, mean error 7.7 %".
std::string counted_words(const PointErrors& errors, const char* what) {
  return fmt::format("{:.0f} {}, mean error {:.1f} %", errors.count, what, 100 * errors.mean());
}

/// The groups from the largest down; what is above six is joined.
std::vector<std::string> group_labels(const std::vector<JudgedPoint>& points) {
  std::map<std::string, std::size_t> counts;
  for (const JudgedPoint& point : points) ++counts[point.group];
  std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> labels;
  for (const auto& [label, count] : order) labels.push_back(label);
  if (labels.size() > kMostGroups) {
    labels.resize(kMostGroups - 1);
    labels.emplace_back(kOthers);
  }
  return labels;
}

ScatterPanel panel_of(const std::string& title, const std::vector<JudgedPoint>& points,
                      const std::vector<std::string>& labels, const char* what) {
  ScatterPanel panel{title, counted_words(errors_of(points), what), {}};
  for (const std::string& label : labels) {
    ScatterGroup group{label, "", {}, {}};
    PointErrors errors;
    for (const JudgedPoint& point : points) {
      const bool known = std::find(labels.begin(), labels.end(), point.group) != labels.end();
      if ((known ? point.group : std::string(kOthers)) != label) continue;
      group.measured.push_back(point.measured);
      group.predicted.push_back(point.predicted);
      errors.add(point);
    }
    if (group.measured.empty()) continue;
    group.detail = counted_words(errors, what);
    panel.groups.push_back(std::move(group));
  }
  return panel;
}

void finish(Scatter& scatter, const std::vector<JudgedPoint>& points, const char* what) {
  const PointErrors errors = errors_of(points);
  const double whole = std::max(1.0, errors.count);
  scatter.subtitle = counted_words(errors, what);
  scatter.bands = {fmt::format("within 10 %: {:.0f} % of them", 100 * errors.narrow / whole),
                   fmt::format("within 25 %: {:.0f} % of them", 100 * errors.wide / whole)};
}

const LeftOut* chart_source(const ValidationReport& report) {
  for (const LeftOut& left : report.left_out) {
    if (!left.points.tpot.empty()) return &left;
  }
  return nullptr;
}

/// "each model left out of the fit in turn", or that nothing was.
std::string seen_words(const ValidationReport& report, const LeftOut* left) {
  if (left != nullptr) return fmt::format("each {} left out of the fit in turn", left->left_out);
  return report.built_in ? "in-sample (the fit has seen these runs)" : "runs that are not built in";
}

bool is_first_token(const JudgedPoint& point) { return point.group.starts_with("TTFT"); }

}  // namespace

ValidationCharts validation_charts(const ValidationReport& report) {
  const LeftOut* left = chart_source(report);
  const std::vector<JudgedPoint>& tpot = left != nullptr ? left->points.tpot : report.validation.points.tpot;
  ValidationCharts out;
  out.tpot.title = "Time per output token (TPOT): " + seen_words(report, left);
  out.tpot.what = "TPOT";
  out.tpot.footer =
      "A point is a measured serving run, with prefill disaggregated or not. Error: |predicted / measured - 1|.";
  out.tpot.panels = {panel_of("", tpot, group_labels(tpot), "runs")};
  finish(out.tpot, tpot, "runs");

  const bool first_left = left != nullptr && !left->points.prefill.empty();
  std::vector<JudgedPoint> prefill = first_left ? left->points.prefill : std::vector<JudgedPoint>{};
  for (const JudgedPoint& point : report.validation.points.prefill) {
    if (!first_left || !is_first_token(point)) prefill.push_back(point);
  }
  out.prefill.title = "Time to first token (TTFT): " + seen_words(report, first_left ? left : nullptr);
  out.prefill.what = "TTFT or prefill time";
  out.prefill.footer =
      "A point is a serving run (median TTFT where it is stated, else the mean) or a whole prompt. Steps of PyTorch "
      "are "
      "judged by a fit to their other half; rows of llama.cpp were not fitted.";
  out.prefill.panels = {panel_of("", prefill, group_labels(prefill), "rows")};
  finish(out.prefill, prefill, "rows");

  const std::vector<JudgedPoint>& kernels = report.validation.points.kernels;
  std::map<std::string, std::vector<JudgedPoint>> classes;
  for (const JudgedPoint& point : kernels) classes[point.part].push_back(point);
  out.kernels.title = std::string("Single kernels: ") +
                      (report.built_in ? "in-sample (the fit has seen these rows)" : "rows that are not built in");
  out.kernels.what = "time of a kernel";
  out.kernels.footer = "A point is a measured kernel. Across: measured; up: predicted. Each panel has axes of its own.";
  for (const auto& [name, points] : classes)
    out.kernels.panels.push_back(panel_of(name, points, group_labels(kernels), "rows"));
  finish(out.kernels, kernels, "kernels");
  // in the legend a chip has the figure of all its classes
  const ScatterPanel all = panel_of("", kernels, group_labels(kernels), "kernels");
  for (ScatterPanel& panel : out.kernels.panels) {
    for (ScatterGroup& group : panel.groups) {
      for (const ScatterGroup& whole : all.groups) {
        if (whole.label == group.label) group.detail = whole.detail;
      }
    }
  }
  return out;
}

}  // namespace ridge::report
