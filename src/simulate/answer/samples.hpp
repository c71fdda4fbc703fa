#pragma once
// Many spans of time and their percentiles: exact while there are few, in fine buckets beyond, so that memory does not
// grow with a run.

#include <cstdint>
#include <utility>
#include <vector>

#include "simulate/clock.hpp"

namespace ridge::simulate {

/// What is told of spans; s. Percentiles are between neighbors, linearly, as NumPy's.
struct Spread {
  std::int64_t count = 0;
  double mean = 0, deviation = 0, least = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, most = 0;
};

class Samples {
 public:
  /// `count` equal spans, none of them negative.
  void add(Nanoseconds span, std::int64_t count = 1);

  std::int64_t count() const { return count_; }
  /// Of 0 to 1; s. There has to be one.
  double percentile(double share) const;
  Spread spread() const;
  /// The share of spans that are at most so long.
  double share_within(double seconds) const;
  /// The spans at so many evenly spread shares, from the least to the most; s.
  std::vector<double> curve(int points) const;

 private:
  // a span and how many there are of it, or of all spans in its bucket
  using Counted = std::pair<Nanoseconds, std::int64_t>;
  const std::vector<Counted>& in_order() const;
  void into_buckets();

  std::vector<Counted> few_;           // while exact
  std::vector<std::int64_t> buckets_;  // else: 2,048 an octave, so within 0.03 %
  std::int64_t count_ = 0;
  double sum_ = 0, squares_ = 0;
  Nanoseconds least_ = 0, most_ = 0;
  mutable std::vector<Counted> ordered_;
  mutable bool is_ordered_ = false;
};

}  // namespace ridge::simulate
