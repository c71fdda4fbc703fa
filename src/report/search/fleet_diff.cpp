#include "report/search/fleet_diff.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/serve/interval_text.hpp"

namespace ridge::report {

namespace {

const PlannedFleet* kept_fleet(const FleetReport& report) {
  const auto& fleets = report.answer.fleets;
  return !fleets.empty() && fleets.front().holds ? &fleets.front() : nullptr;
}

ServedModel bought_model(const std::string& name, const FleetReport& report) {
  ServedModel out{name, {}, {}};
  if (const PlannedFleet* fleet = kept_fleet(report))
    out.answer = fleet->closed;
  else
    out.shortfall = fmt::format("nothing keeps the SLO (ridge plan {} says what would)", name);
  return out;
}

/// A figure of a fleet by its key, how it is read off a report, and how it is shown.
struct FleetFigure {
  const char *key, *title;
  double (*value)(const FleetReport& report, const PlannedFleet& fleet);
  std::string (*shown)(double value);
};

std::string whole_shown(double value) { return with_commas(std::round(value)); }
std::string odds_shown(double odds) { return odds >= 0.995 ? ">99%" : fmt::format("{:.0f}%", 100 * odds); }
std::string bill_shown(double value) { return money(value, 4); }
std::string mtok_shown(double value) { return money(value * 1e6, 4); }
std::string power_shown(double value) { return significant(value / 1e3, 4) + " kW"; }

using Report = const FleetReport&;
using Fleet = const PlannedFleet&;
constexpr FleetFigure kFleetFigures[] = {
    {"odds", "SLO holds", [](Report, Fleet fleet) { return fleet.odds; }, odds_shown},
    {"replicas", "replicas", [](Report, Fleet fleet) { return fleet.point.fleet.replicas; }, whole_shown},
    {"prefill_replicas", "prefill repl.", [](Report, Fleet fleet) { return fleet.point.fleet.prefill_replicas; },
     whole_shown},
    {"nodes", "nodes", [](Report, Fleet fleet) { return fleet.point.fleet.all_nodes(); }, whole_shown},
    {"chips", "chips", [](Report report, Fleet fleet) { return chips_in(report.answer, fleet); }, whole_shown},
    {"dollars_per_hour", "$/h", [](Report, Fleet fleet) { return fleet.bill() * kBilledHour; }, bill_shown},
    {"dollars_per_month", "$/month", [](Report, Fleet fleet) { return fleet.bill() * kBilledMonth; }, bill_shown},
    {"cost", "bill, $/Mtok", [](Report report, Fleet fleet) { return cost_of(report.answer, fleet); }, mtok_shown},
    {"watts", "power", [](Report report, Fleet) { return report.power.watts; }, power_shown}};

/// A promise: "TTFT p99", with its interval.
std::string promise_shown(const PlannedFleet& fleet, const PromisedFigure& one) {
  const Seconds<double> time(one.value);
  const std::string ends = interval_text(fleet.closed.errors, figure_of(one.target.metric), time);
  return show(time) + (ends.empty() ? "" : fmt::format(" ({})", ends.substr(0, ends.rfind(','))));
}

/// One line for both, where any of them has it.
template <class Value, class Shown>
void add_line(ServingDiff& out, const std::array<const FleetReport*, 2>& reports, ServedDifference line,
              const Value& value, const Shown& shown) {
  const std::array<std::optional<double>*, 2> values = {&line.a, &line.b};
  const std::array<std::string*, 2> texts = {&line.shown_a, &line.shown_b};
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const PlannedFleet* fleet = kept_fleet(*reports[i]);
    const double own = fleet ? value(*reports[i], *fleet) : 0;
    if (!(own > 0)) continue;
    *values[i] = own;
    *texts[i] = shown(*fleet, own);
  }
  if (line.a || line.b) out.figures.push_back(std::move(line));
}

}  // namespace

ServingDiff fleet_diff(const std::string& name_a, const FleetReport& a, const std::string& name_b,
                       const FleetReport& b) {
  ServingDiff out = serving_diff(bought_model(name_a, a), bought_model(name_b, b));
  std::vector<ServedDifference> of_a_replica = std::move(out.figures);
  const auto name_in = [](const FleetReport& report) {
    const PlannedFleet* fleet = kept_fleet(report);
    return fleet ? fleet_name(report.answer, *fleet) : "-";
  };
  out.figures = {{"fleet", "fleet", {}, {}, name_in(a), name_in(b), false}};
  out.lines = {fmt::format("{}: {}", name_a, name_in(a)), fmt::format("{}: {}", name_b, name_in(b))};
  const std::array reports = {&a, &b};
  const FleetQuestion& question = a.answer.question;
  for (std::size_t i = 0; i < question.slo.size(); ++i) {
    const std::string metric(name_of(question.slo[i].metric));
    const std::string statistic = question.simulates ? name_of(question.slo[i].statistic) : "mean";
    add_line(
        out, reports, {lower_case(metric) + "_" + statistic, metric + " " + statistic, {}, {}, "-", "-"},
        [i](Report, Fleet fleet) { return fleet.promised[i].value; },
        [i](Fleet fleet, double) { return promise_shown(fleet, fleet.promised[i]); });
  }
  for (const FleetFigure& figure : kFleetFigures) {
    add_line(out, reports, {figure.key, figure.title, {}, {}, "-", "-"}, figure.value,
             [&](Fleet, double value) { return figure.shown(value); });
  }
  for (ServedDifference& one : of_a_replica) {
    const bool is_of_the_model = one.key == "weights" || one.key == "kv_per_token" || one.key == "concurrency";
    if (is_of_the_model && (one.a || one.b)) out.figures.push_back(std::move(one));
  }
  out.notes.clear();
  for (const auto& [name, report] : {std::pair{&name_a, &a}, {&name_b, &b}}) {
    if (kept_fleet(*report) == nullptr) out.notes.push_back(bought_model(*name, *report).shortfall);
    for (const auto* texts : {&report->cautions, &report->notes}) {
      for (const std::string& text : *texts) out.notes.push_back(fmt::format("{}: {}", *name, text));
    }
  }
  out.asked += fmt::format("{}{} requests/s, {}", out.asked.empty() ? "" : ", ",
                           significant(*question.plan.fleet->rate, 6), show(question.slo));
  return out;
}

}  // namespace ridge::report
