#include "simulate/answer/many_runs.hpp"

#include <algorithm>
#include <atomic>

#include "base/threads.hpp"

namespace ridge::simulate {

void simulate_all(const std::vector<SimulationSetup>& setups, const LatencyTargets& targets, unsigned threads,
                  const ManyOnlookers& look, const std::function<void(std::size_t, SimulationResult)>& take) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t) {
    for (std::size_t i = next++; i < setups.size(); i = next++) {
      Onlookers one;
      if (i == 0) one = look.of_first;
      if (look.go_on) one.go_on = [&look, i](std::int64_t finished) { return look.go_on(i, finished); };
      take(i, simulate(setups[i], targets, one));
    }
  };
  const std::size_t helpers = std::min<std::size_t>(threads, setups.size());
  auto others = start_threads(helpers > 0 ? helpers - 1 : 0, work);
  work(0);
  others.clear();
}

}  // namespace ridge::simulate
