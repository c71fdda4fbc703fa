#pragma once
// A fleet for people and as JSON: what to buy, what users see, what it costs, how sure.

#include "calibrate/evidence/nearest.hpp"
#include "engine/engine_commands.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/fleet/fleet_power.hpp"

namespace ridge::report {

struct FleetReport {
  FleetAnswer answer;
  FleetPower power;                     // of the first fleet
  std::optional<NearestRun> nearest;    // a measured run like it
  std::string line;                     // of a shell, which gives its figures again
  std::vector<EngineCommand> commands;  // that start one replica of it
  std::vector<std::string> notes;
  double seconds = 0;  // that it took; 0: not told
};

std::string fleet_text(const FleetReport& report, const Style& style);
std::string fleet_json(const FleetReport& report);

}  // namespace ridge::report
