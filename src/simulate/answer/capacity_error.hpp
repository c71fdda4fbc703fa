#pragma once
// Near saturation a small error of capacity changes TTFT several-fold: then a range is told, not a point. The same run on
// a deployment whose steps are a tenth slower, and a tenth faster.

#include "simulate/answer/many_runs.hpp"

namespace ridge::simulate {

/// How far the capacity of an estimate may be off: step times of runs that no fit has seen are within about that.
inline constexpr double kCapacityError = 0.1;
/// From here on a range is shown beside the point.
inline constexpr double kSeveralFold = 2;
/// Below this share of the capacity nothing of the kind is to be expected.
inline constexpr double kNearSaturation = 0.5;

struct TtftRange {
  Spread slow, fast;            // TTFT with less and with more capacity
  bool slow_saturated = false;  // the queue then grows without end: its TTFT says how long the run was
  bool stopped = false;

  bool is_several_fold() const { return slow_saturated || slow.mean >= kSeveralFold * fast.mean; }
};

/// The same with every step so many times as fast.
SimulationSetup with_speed(SimulationSetup setup, double speed);

TtftRange ttft_range(const SimulationSetup& setup, unsigned threads,
                     const std::function<bool(std::int64_t)>& go_on = {});

}  // namespace ridge::simulate
