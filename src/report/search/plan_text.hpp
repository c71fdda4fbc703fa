#pragma once
// What a planner found, for a terminal, as a chart and as JSON.

#include <optional>
#include <string>

#include "calibrate/evidence/measured_points.hpp"
#include "engine/engine_commands.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/plan/frontier_bound.hpp"

namespace ridge::report {

/// A plan, and the whole answers for its choice and its runner-up.
struct PlanReport {
  PlanAnswer plan;
  std::optional<ServingAnswer> best, runner_up;
  std::vector<PlanOutlook> outlooks;    // where asked for
  std::vector<EngineCommand> commands;  // that start the choice
  double seconds = 0;                   // that the search took; 0: not told
  std::vector<MeasuredPoint> measured;  // runs that belong on the chart
  std::vector<FrontierBound> bounds;    // of each machine
};

std::string plan_text(const PlanReport& report, const Style& style);
std::string plan_json(const PlanReport& report);
/// Output tok/s/user against what was chosen by: $/Mtok, output tok/s/GPU or J a token. A line for each of at most six
/// machines, the measured runs of the same model, precision, machine, engine and lengths as diamonds.
/// `first`: machines that are drawn whatever their rank.
Chart plan_chart(const PlanReport& report, const std::vector<std::size_t>& first = {});

/// GPUs, unless one of the machines has other chips.
std::string chip_of(const PlanAnswer& plan);

/// Whether the choice stands on measurements of its chip and engine, in a word or two.
std::string_view evidence_class(const PlanAnswer& plan);

/// "HGX H100", "3 machines", "HGX H100 (prefill) and HGX H200 (decode)"
std::string machines_text(const PlanAnswer& plan);

/// "TEP4 prefill + DEP32 decode": a deployment in a few words.
std::string deployment_name(const PlanRequest& request, const PlanPoint& point);

}  // namespace ridge::report
