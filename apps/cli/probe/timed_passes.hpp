#pragma once
// Passes of some work by several threads at once, timed.

#include <functional>

#include "calibrate/probe/probe.hpp"

namespace ridge::cli {

/// One pass of one thread; how much it did, in bytes or FLOP.
using ProbePass = std::function<double(int thread)>;

/// Passes for so many seconds, at least three, the first not counted. All threads start a pass together; its rate is what all
/// of them did over the time from the first start to the last end.
ProbeSeries timed_passes(int threads, double seconds, const ProbePass& pass);

}  // namespace ridge::cli
