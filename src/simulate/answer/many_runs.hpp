#pragma once
// Several simulations at once. Each is a function of its setup alone, so that any number of threads gives the same.

#include <functional>
#include <vector>

#include "simulate/simulation.hpp"

namespace ridge::simulate {

struct ManyOnlookers {
  Onlookers of_first;  // its go_on is not asked
  /// Called now and then by any thread, with a run's number and the requests it has finished; false stops that run.
  std::function<bool(std::size_t, std::int64_t)> go_on;
};

/// Runs every setup and gives each result to `take`, with its number: by any thread, each number once.
void simulate_all(const std::vector<SimulationSetup>& setups, const LatencyTargets& targets, unsigned threads,
                  const ManyOnlookers& look, const std::function<void(std::size_t, SimulationResult)>& take);

}  // namespace ridge::simulate
