#pragma once
// The highest request rate whose requests keep their targets: simulations at rates around what the closed form says can be
// done, then closer and closer around the last rate that holds. Rates of a round are fixed beforehand, so that any number
// of threads visits the same.

#include <optional>
#include <vector>

#include "simulate/answer/many_runs.hpp"

namespace ridge::simulate {

struct RateQuestion {
  SimulationSetup setup;  // its arrivals are an open loop, or conversations that begin at a rate
  LatencyTargets targets;
  double share = 0.99;        // of requests that have to meet them
  double capacity = 1;        // requests a second that the deployment might do: where to look first
  std::int64_t requests = 0;  // at each rate; 0: requests_at
  unsigned threads = 1;
};

struct RatePoint {
  double rate = 0;   // asked for
  double share = 0;  // within the targets
  bool saturated = false;
  bool holds = false;
  Spread ttft, tpot, e2e;
  double output_rate = 0, busy = 0;
};

struct RateSearch {
  double share = 0.99;
  RatePoint alone;                // requests that never meet another
  std::vector<RatePoint> points;  // rising
  std::optional<double> rate;     // the highest that holds
  double fails_at = 0;            // the lowest above it that does not; 0: none was found
  bool stopped = false;
};

/// Looks until the two rates are within 1 %.
RateSearch find_rate(const RateQuestion& question, const std::function<bool(std::int64_t)>& go_on = {});

/// The same setup at another rate, with as many requests as a question asks for, or as are needed of requests that take so
/// long (s).
SimulationSetup at_rate(const RateQuestion& question, double rate, double request_time);

}  // namespace ridge::simulate
