#include "simulate/answer/many_runs.hpp"

#include "base/threads.hpp"

namespace ridge::simulate {

void simulate_all(const std::vector<SimulationSetup>& setups, const LatencyTargets& targets, unsigned threads,
                  const ManyOnlookers& look, const std::function<void(std::size_t, SimulationResult)>& take) {
  for_each_index(setups.size(), threads, [&](std::size_t i) {
    Onlookers one;
    if (i == 0) one = look.of_first;
    if (look.go_on) one.go_on = [&look, i](std::int64_t finished) { return look.go_on(i, finished); };
    take(i, simulate(setups[i], targets, one));
  });
}

}  // namespace ridge::simulate
