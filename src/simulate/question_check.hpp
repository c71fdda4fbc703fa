#pragma once
// What of a question cannot be meant, or would take longer than anybody waits.

#include "simulate/setup.hpp"

namespace ridge::simulate {

inline constexpr double kMostRequests = 20e6, kMostTokens = 10e6, kMostUsers = 1e6, kMostReplicas = 4096;
/// Simulated time; nanoseconds would hold some centuries.
inline constexpr double kLongestRun = 1e9;  // s

Errors checked_question(const SimulationQuestion& question);

}  // namespace ridge::simulate
