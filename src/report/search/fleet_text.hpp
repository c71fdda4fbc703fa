#pragma once
// A fleet for people and as JSON: what to buy, what users see, what it costs, how sure.

#include "calibrate/evidence/measured_points.hpp"
#include "calibrate/evidence/nearest.hpp"
#include "engine/engine_commands.hpp"
#include "library/price_said.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/fleet/fleet_power.hpp"

namespace ridge::report {

struct FleetReport {
  FleetAnswer answer;
  FleetPower power;                   // of the first fleet
  std::optional<NearestRun> nearest;  // a measured run like it
  std::string line;                   // of a shell, which gives its figures again
  // that ask `ridge host`, `price`, `demand` and `tier` the same; empty where they cannot be asked
  std::string host_line, price_line, demand_line, tier_line;
  std::vector<EngineCommand> commands;  // that start one replica of it
  std::vector<std::string> cautions;    // to be said before all figures
  std::vector<std::string> notes;
  double seconds = 0;  // that it took; 0: not told
};

/// What is bought, how likely the SLO holds, and what that costs by the hour and by the token: for answers built on it.
std::string bought_lines(const FleetAnswer& answer, const Style& style);
/// "12 nodes of hgx-h100: 16 x TP4 prefill + 4 x TP8 decode"
std::string bought_text(const FleetAnswer& answer);

/// "24 x TP4", "6 x TP2 prefill + 4 x TP8 decode"; with the machine, where several were asked about.
std::string fleet_name(const FleetAnswer& answer, const PlannedFleet& fleet);
/// What its nodes are paid by; nothing where prices were given.
std::optional<PriceBasis> price_basis_of(const PlannedFleet& fleet);
/// Of all its nodes.
double chips_in(const FleetAnswer& answer, const PlannedFleet& fleet);

/// The plan's frontier as one replica has it, and on it what was decided: the choice and the next, at the cost or the rate
/// that the text prints.
Chart fleet_chart(const FleetReport& report, const std::vector<MeasuredPoint>& measured);

/// "calibrated", "extrapolated", or "extrapolated in part": no measured run has all of its situation.
std::string_view class_of(const FleetReport& report);

std::string fleet_text(const FleetReport& report, const Style& style);
std::string fleet_json(const FleetReport& report);

}  // namespace ridge::report
