#pragma once
// What is seen of a run while it goes on: its state over time, and whether a queue grows without end.

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulate/clock.hpp"
#include "simulate/simulation.hpp"

namespace ridge::simulate {

inline constexpr std::size_t kMoments = 512;  // of a timeline, at most: then every second one goes

/// State of the system over time, and its integral.
class RunWatch {
 public:
  void pass(Nanoseconds now, double in_flight, double running, double waiting, double cache) {
    if (now != last_) {
      const auto span = static_cast<double>(now - last_);
      in_flight_ += in_flight_now_ * span;
      running_ += running_now_ * span;
      cache_ += cache_now_ * span;
      last_ = now;
    }
    in_flight_now_ = in_flight;
    running_now_ = running;
    cache_now_ = cache;
    most_cache_ = std::max(most_cache_, cache);
    last_moment_ = {seconds(now), running, waiting, cache};
    if (now < next_) return;
    timeline_.push_back(last_moment_);
    next_ = now + every_;
    if (timeline_.size() < kMoments) return;
    for (std::size_t i = 0; i < kMoments / 2; ++i) timeline_[i] = timeline_[2 * i];
    timeline_.resize(kMoments / 2);
    every_ *= 2;
  }

  void tell(SimulationResult& result) const {
    const auto span = static_cast<double>(std::max<Nanoseconds>(1, last_));
    result.in_flight = in_flight_ / span;
    result.mean_running = running_ / span;
    result.mean_cache = cache_ / span;
    result.most_cache = most_cache_;
    result.timeline = timeline_;
    result.timeline.push_back(last_moment_);
  }

 private:
  Nanoseconds last_ = 0, next_ = 0, every_ = 1'000'000;
  double in_flight_ = 0, running_ = 0, cache_ = 0, most_cache_ = 0;
  double in_flight_now_ = 0, running_now_ = 0, cache_now_ = 0;
  std::vector<Moment> timeline_;
  Moment last_moment_;
};

/// Whether the queue of an open loop grows without end: looked at between the middle request and the last.
class QueueGrowth {
 public:
  /// `behind`: those that were sent before and do not run yet, on their way through a front end or in a queue.
  void sent(std::int64_t count, std::int64_t total, Nanoseconds now, std::int64_t behind) {
    const At at{now, static_cast<double>(behind)};
    if (count == (total + 1) / 2) {
      from_ = at;
      least_ = waiting_;
      requests_ = total - count;
    }
    if (count == total) {
      to_ = at;
      is_over_ = true;
    }
  }
  /// Of those, the queue.
  void waits(double waiting) {
    waiting_ = waiting;
    if (!is_over_) least_ = std::min(least_, waiting);
  }
  void tell(SimulationResult& result) const {
    const double span = seconds(to_.at - from_.at), growth = to_.behind - from_.behind;
    if (!is_over_ || span <= 0) return;
    result.queue_growth = growth / span;
    // A queue below saturation is empty now and then; and the count of n arrivals strays by its root. Where they come
    // faster than any step ends, nobody has seen a queue yet when the last is sent: but most of them are behind.
    constexpr double kNotable = 0.03, kMost = 0.5;
    const auto n = static_cast<double>(requests_);
    result.saturated = growth > std::max(kNotable * n, std::sqrt(n)) && (least_ > 0 || growth > kMost * n);
  }

 private:
  struct At {
    Nanoseconds at = 0;
    double behind = 0;
  };
  At from_, to_;
  double waiting_ = 0, least_ = 0;
  std::int64_t requests_ = 0;
  bool is_over_ = false;
};

}  // namespace ridge::simulate
