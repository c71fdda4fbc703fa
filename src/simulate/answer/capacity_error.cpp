#include "simulate/answer/capacity_error.hpp"

#include <atomic>

namespace ridge::simulate {

namespace {

StepTime faster(StepTime time, double speed) {
  return [time = std::move(time), speed](std::span<const StepWork> ranks) {
    return static_cast<Nanoseconds>(static_cast<double>(time(ranks)) / speed + 0.5);
  };
}

}  // namespace

SimulationSetup with_speed(SimulationSetup setup, double speed) {
  setup.replica.time = faster(std::move(setup.replica.time), speed);
  if (setup.prefill) setup.prefill->replica.time = faster(std::move(setup.prefill->replica.time), speed);
  return setup;
}

TtftRange ttft_range(const SimulationSetup& setup, unsigned threads, const std::function<bool(std::int64_t)>& go_on) {
  TtftRange range;
  std::atomic<bool> stopped = false;
  ManyOnlookers look;
  if (go_on) look.go_on = [&](std::size_t, std::int64_t finished) { return go_on(finished); };
  simulate_all({with_speed(setup, 1 - kCapacityError), with_speed(setup, 1 + kCapacityError)}, {}, threads, look,
               [&](std::size_t i, const SimulationResult& result) {
                 (i == 0 ? range.slow : range.fast) = result.all.ttft.spread();
                 if (i == 0) range.slow_saturated = result.saturated;
                 if (result.stopped) stopped = true;
               });
  range.stopped = stopped;
  return range;
}

}  // namespace ridge::simulate
