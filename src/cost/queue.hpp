#pragma once
// Waiting in line.

#include "base/number/units.hpp"

namespace ridge {

/// Mean wait of a request behind others at one server that is busy for a share u of the time: requests come at random and
/// take alike (M/D/1), w = s u / (2 (1 - u)). Source: Pollaczek (1930) and Khinchine (1932).
template <class S>
Seconds<S> queue_wait(const Ratio<S>& utilization, const Seconds<S>& service) {
  const auto one = literal<Ratio<S>>(1.0), two = literal<Ratio<S>>(2.0);
  return service * (utilization / (two * (one - utilization)));
}

}  // namespace ridge
