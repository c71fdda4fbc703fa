#pragma once
// The answers of `ridge cost`, `ridge day` and `ridge host`: screen, chart, JSON.

#include <string>

#include "price/money/chip_cost.hpp"
#include "price/money/day.hpp"
#include "price/money/host.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/fleet/fleet.hpp"

namespace ridge::report {

std::string cost_text(const ChipCost& cost, const Style& style);
std::string cost_json(const ChipCost& cost);

std::string day_text(const ServingDay& day, const Style& style);
std::string day_json(const ServingDay& day);

/// `fleet`: what the nodes were planned as, where they were.
std::string host_text(const HostAnswer& answer, const Style& style, const FleetAnswer* fleet = nullptr);
std::string host_json(const HostAnswer& answer, const FleetAnswer* fleet = nullptr);
/// Margin against the share of input that a cache holds, at the prices of the cheapest and the dearest.
Chart host_chart(const HostAnswer& answer);

}  // namespace ridge::report
