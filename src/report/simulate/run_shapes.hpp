#pragma once
// A run at a glance, in block characters: how TTFT is spread, and what ran and waited over time.

#include <string>

#include "report/base/style.hpp"
#include "simulate/simulation.hpp"

namespace ridge::report {

std::string ttft_histogram(const simulate::SimulationResult& result, const Style& style);
std::string run_timeline(const simulate::SimulationResult& result, const Style& style);

/// The mean state of the run in so many equal parts of its time.
std::vector<simulate::Moment> evenly(const simulate::SimulationResult& result, int moments);

}  // namespace ridge::report
