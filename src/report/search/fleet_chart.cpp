#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/search/fleet_text.hpp"
#include "report/search/plan_text.hpp"

namespace ridge::report {

namespace {

/// Output tokens a second that a user sees, as it is promised; where no TPOT is, the mean.
double user_rate_in(const PlannedFleet& fleet) {
  for (const PromisedFigure& one : fleet.promised) {
    if (one.target.metric == SloMetric::tpot && one.value > 0) return 1 / one.value;
  }
  if (fleet.simulated && fleet.simulated->tpot.mean > 0) return 1 / fleet.simulated->tpot.mean;
  return fleet.point.user_rate;
}

/// What the y axis has: dollars a million output tokens, or output tokens a second of a chip that is paid for.
double charted_figure(const FleetAnswer& answer, const PlannedFleet& fleet) {
  if (answer.plan.request.fleet->rate) return cost_of(answer, fleet) * 1e6;
  return fleet.point.fleet.rate * answer.plan.request.question.osl / chips_in(answer, fleet);
}

std::string figure_text(const FleetAnswer& answer, const PlannedFleet& fleet) {
  if (answer.plan.request.fleet->rate) return money(cost_of(answer, fleet) * 1e6) + "/Mtok";
  return fmt::format("{:.4g} requests/s", fleet.point.fleet.rate);
}

std::string fleet_finding(const FleetAnswer& answer) {
  const PlanAnswer& plan = answer.plan;
  if (answer.fleets.empty() || !answer.fleets.front().holds) return plan.model_title + ": nothing keeps the SLO";
  const PlannedFleet& best = answer.fleets.front();
  const std::string nodes =
      fmt::format("{} of {}", plural(best.point.fleet.all_nodes(), "node"), plan.machines[best.point.machine].name);
  const std::string what = figure_text(answer, best);
  if (plan.request.fleet->rate)
    return fmt::format("{} at {:g} requests/s: {} output on {}", plan.model_title, *plan.request.fleet->rate, what,
                       nodes);
  return fmt::format("{} on {}: {}", plan.model_title, nodes, what);
}

}  // namespace

Chart fleet_chart(const FleetReport& report, const std::vector<MeasuredPoint>& measured) {
  const FleetAnswer& answer = report.answer;
  PlanReport screened;
  screened.plan = answer.plan;
  screened.measured = measured;
  screened.plan.search.best.reset();  // what was decided is marked instead
  const std::size_t marked = !answer.fleets.empty() && answer.fleets.front().holds
                                 ? (answer.fleets.size() > 1 && answer.fleets[1].holds ? 2 : 1)
                                 : 0;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < marked; ++i) first.push_back(answer.fleets[i].point.machine);
  Chart chart = plan_chart(screened, first);
  chart.title = fleet_finding(answer);
  chart.subtitle = fmt::format("{}; {}", show(answer.question.slo), chart.subtitle);
  for (std::size_t i = 0; i < marked; ++i) {
    const PlannedFleet& fleet = answer.fleets[i];
    chart.markers.push_back(
        {user_rate_in(fleet), charted_figure(answer, fleet),
         fmt::format("{}{}, {}", i == 0 ? "" : "next: ", fleet_name(answer, fleet), figure_text(answer, fleet))});
  }
  const std::string lines = "lines: one replica, all of it in use (closed form)";
  chart.footer = marked > 0 ? fmt::format("{}; points: whole nodes{}; {}", lines,
                                          answer.fleets.front().simulated ? ", simulated" : "", chart.footer)
                            : fmt::format("{}; {}", lines, chart.footer);
  return chart;
}

}  // namespace ridge::report
