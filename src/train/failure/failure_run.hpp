#pragma once
// A run that fails, restarts and goes on, event by event: what the formulas of goodput.hpp are held against, and what they
// cannot say (how far runs lie apart, checkpoints that are still being written, copies in memory).

#include <cstdint>
#include <vector>

#include "train/failure/goodput.hpp"

namespace ridge::train {

struct FailureRunSetup {
  CheckpointTimes<double> times;
  Seconds<double> mtbf;      // of the whole machine
  Seconds<double> interval;  // of useful work between two checkpoints
  Seconds<double> work;
  std::uint64_t seed = 1;
};

struct FailureRun {
  Seconds<double> elapsed;
  double failures = 0;
  Goodput<double> shares;  // of the elapsed time
};

/// Time between failures is exponential. A failure goes back to the last checkpoint that counts: one in memory, where that
/// survives, otherwise the last one written whole. Whatever the interval, the same seed draws the same failures.
FailureRun run_with_failures(const FailureRunSetup& setup);

/// The interval with the highest goodput among many, each with the same failures (smoothed); and the shortest and the
/// longest that lose no more than a thousandth of the time against it.
struct SimulatedBest {
  Seconds<double> interval, flat_from, flat_to;
  double goodput = 0;
};
SimulatedBest simulated_best(FailureRunSetup setup, double failures);

}  // namespace ridge::train
