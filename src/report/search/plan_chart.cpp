#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/search/plan_text.hpp"

namespace ridge::report {

namespace {

constexpr double kMtok = 1e6;

/// What the y axis shows: the quantity that the planner chose by.
enum class ChartedBy { cost, throughput, energy };

ChartedBy charted_by(Objective objective) {
  switch (objective) {
    case Objective::energy:
      return ChartedBy::energy;
    case Objective::latency:
    case Objective::chips:
    case Objective::rate:
      return ChartedBy::throughput;
    case Objective::cost:
    case Objective::bill:
      break;
  }
  return ChartedBy::cost;
}

double charted(ChartedBy by, const PlanPoint& point) {
  return by == ChartedBy::cost ? point.cost * kMtok : by == ChartedBy::energy ? point.energy : point.chip_rate;
}

std::string charted_text(ChartedBy by, double value, const std::string& chip) {
  if (by == ChartedBy::cost) return money(value) + "/Mtok output";
  if (by == ChartedBy::energy) return significant(value, 3) + " J per output token";
  return fmt::format("{} output tok/s/{}", value >= 1000 ? with_commas(std::round(value)) : significant(value, 3),
                     chip);
}

Axis charted_axis(ChartedBy by, const std::string& chip) {
  if (by == ChartedBy::cost) return {"cost of output, $/Mtok", "$/Mtok", Scale::logarithmic};
  if (by == ChartedBy::energy) return {"energy, J per output token", "", Scale::logarithmic};
  return {"output tok/s/" + chip, "", Scale::logarithmic};
}

/// The machines with something to draw: those that keep the SLO first, each kind by what was chosen by, the best first.
std::vector<std::size_t> ranked_machines(const PlanAnswer& plan) {
  std::vector<std::size_t> all;
  for (const auto& [machine, frontier] : plan.search.of_machine) {
    const auto& points = frontier.candidates();
    if (std::any_of(points.begin(), points.end(), [](const auto& one) { return one.point.user_rate > 0; }))
      all.push_back(machine);
  }
  const auto figure = [&](std::size_t machine) {
    const auto found = plan.search.best_of_machine.find(machine);
    if (found != plan.search.best_of_machine.end())
      return std::pair(false, objective_of(plan.request.objective, found->second));
    double least = 1e300;
    for (const auto& one : plan.search.of_machine.at(machine).candidates()) least = std::min(least, one.point.cost);
    return std::pair(true, least);
  };
  std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return figure(a) < figure(b); });
  return all;
}

std::string slo_words(const PlanRequest& request) {
  std::vector<std::string> all;
  if (request.ttft) all.push_back("TTFT " + show(*request.ttft));
  if (request.tpot) all.push_back("TPOT " + show(*request.tpot));
  if (request.e2e) all.push_back("E2E " + show(*request.e2e));
  return joined(all, ", ");
}

/// What the picture shows, as a sentence.
std::string plan_finding(const PlanAnswer& plan, ChartedBy by) {
  const std::string slo = slo_words(plan.request);
  if (!plan.search.best) return fmt::format("{}: nothing {}", plan.model_title, slo.empty() ? "fits" : "meets " + slo);
  const PlanPoint& best = *plan.search.best;
  const std::string machine = plan.machines[best.machine].name, within = slo.empty() ? "" : " within " + slo;
  const std::string figure = charted_text(by, charted(by, best), chip_of(plan));
  const bool only = plan.search.of_machine.size() == 1;
  const char* is = by == ChartedBy::cost ? "is cheapest" : by == ChartedBy::energy ? "takes least" : "is chosen";
  return only ? fmt::format("{} on {}: {}{}", plan.model_title, machine, figure, within)
              : fmt::format("{}: {} {}{}, {}", plan.model_title, machine, is, within, figure);
}

Series frontier_line(const PlanAnswer& plan, std::size_t machine, ChartedBy by) {
  Series series{.label = plan.machines[machine].name, .bold = plan.search.of_machine.size() == 1};
  for (const auto& one : plan.search.of_machine.at(machine).candidates()) {
    if (!(one.point.user_rate > 0)) continue;
    series.x.push_back(one.point.user_rate);
    series.y.push_back(charted(by, one.point));
  }
  return series;
}

/// The measured runs on one machine; none where energy is shown, which no run has.
Series measured_series(const PlanReport& report, std::size_t machine, ChartedBy by) {
  Series series{.shape = Shape::measured, .like = report.plan.machines[machine].name};
  for (const MeasuredPoint& one : report.measured) {
    if (one.machine != machine || by == ChartedBy::energy) continue;
    series.x.push_back(one.user_rate);
    series.y.push_back(by == ChartedBy::cost ? one.cost * kMtok : one.chip_rate);
  }
  const std::size_t count = series.x.size();
  series.label = fmt::format("{} measured run{}", count, count == 1 ? "" : "s");
  return series;
}

/// "of the same lengths", or which others they have.
std::string lengths_text(const PlanReport& report) {
  const ServingQuestion& q = report.plan.request.question;
  std::vector<std::string> others;
  for (const MeasuredPoint& one : report.measured) {
    if (one.row->isl == q.isl && one.row->osl == q.osl) continue;
    std::string lengths = fmt::format("{:g}/{:g}", one.row->isl, one.row->osl);
    if (std::find(others.begin(), others.end(), lengths) == others.end()) others.push_back(std::move(lengths));
  }
  return others.empty() ? "of the same lengths" : "ISL/OSL near by: " + joined(others, ", ");
}

Marker best_marker(const PlanReport& report, ChartedBy by) {
  const PlanPoint& best = *report.plan.search.best;
  Marker marker{best.user_rate, charted(by, best), deployment_name(report.plan.request, best)};
  if (report.best && report.best->errors.known && by != ChartedBy::energy) {
    const FigureInterval ends = report.best->errors.around(marker.y, SpreadFigure::throughput);
    marker.low = ends.low;
    marker.high = ends.high;
  }
  return marker;
}

}  // namespace

Chart plan_chart(const PlanReport& report, const std::vector<std::size_t>& first) {
  const PlanAnswer& plan = report.plan;
  const ChartedBy by = charted_by(plan.request.objective);
  Chart chart;
  chart.title = plan_finding(plan, by);
  chart.subtitle = fmt::format("ISL {:g}, OSL {:g}, {}; {}", plan.request.question.isl, plan.request.question.osl,
                               plan.request.question.engine, evidence_class(plan));
  chart.x = {"output tok/s/user", "", Scale::linear};
  chart.y = charted_axis(by, chip_of(plan));
  std::vector<std::size_t> machines = ranked_machines(plan);
  std::stable_partition(machines.begin(), machines.end(), [&](std::size_t machine) {
    return std::find(first.begin(), first.end(), machine) != first.end();
  });
  const std::size_t drawn = std::min(machines.size(), kMostLines);
  for (std::size_t i = 0; i < drawn; ++i) chart.series.push_back(frontier_line(plan, machines[i], by));
  bool any_measured = false;
  for (std::size_t i = 0; i < drawn; ++i) {
    Series runs = measured_series(report, machines[i], by);
    any_measured = any_measured || !runs.x.empty();
    if (!runs.x.empty()) chart.series.push_back(std::move(runs));
  }
  chart.footer = any_measured ? "diamonds: measured, of the same model, precision and engine; " + lengths_text(report)
                              : "no public run has this model, precision, machine, engine and lengths";
  if (plan.search.best && plan.search.best->user_rate > 0) {
    chart.markers.push_back(best_marker(report, by));
    if (chart.markers.front().high > 0) chart.footer += "; whisker: 80 % interval";
  }
  if (drawn < machines.size())
    chart.footer += fmt::format("; {} more machine{} not drawn", machines.size() - drawn,
                                machines.size() - drawn == 1 ? " is" : "s are");
  if (plan.request.tpot) {
    chart.lines.push_back({true, 1 / plan.request.tpot->value(), "TPOT " + show(*plan.request.tpot)});
  }
  return chart;
}

}  // namespace ridge::report
