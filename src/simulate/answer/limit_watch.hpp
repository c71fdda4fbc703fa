#pragma once
// Whether a run keeps limits, where nothing else is asked of it: it may end as soon as that is certain.

#include <cmath>
#include <cstdint>
#include <vector>

#include "simulate/simulation.hpp"

namespace ridge::simulate {

/// Looks at steady requests. What it says of a run that ends early is what the whole run would have said.
class LimitWatch {
 public:
  explicit LimitWatch(const std::vector<SpanLimit>& limits) : limits_(limits), seen_(limits.size()) {}

  /// A request more of at most `most` that will be judged; whether a limit is exceeded whatever the others take.
  bool exceeded_with(const RequestOutcome& one, std::int64_t most) {
    ++count_;
    bool exceeded = false;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const SpanLimit& limit = limits_[i];
      if (limit.of == SpanLimit::Of::tpot && one.output < 2) continue;
      const double span = span_of(one, limit.of);
      seen_[i].sum += span;
      if (span > limit.longest) ++seen_[i].above;
      exceeded = exceeded || surely_exceeds(limit, seen_[i], most);
    }
    return exceeded && count_ >= kEnoughSteady;
  }

 private:
  struct Seen {
    double sum = 0;  // s
    std::int64_t above = 0;
  };

  static double span_of(const RequestOutcome& one, SpanLimit::Of what) {
    if (what == SpanLimit::Of::ttft) return seconds(one.ttft());
    if (what == SpanLimit::Of::e2e) return seconds(one.e2e());
    return seconds(static_cast<Nanoseconds>(one.tpot() + 0.5));  // as it is counted
  }
  /// Of n spans the percentile lies at or above the one with floor(share (n - 1)) before it, and with n all that may be
  /// above it grow by less than n does.
  static bool surely_exceeds(const SpanLimit& limit, const Seen& seen, std::int64_t most) {
    const auto all = static_cast<double>(most);
    if (limit.share == 0) return seen.sum > limit.longest * all;
    return static_cast<double>(seen.above) >= all - std::floor(limit.share * (all - 1));
  }

  const std::vector<SpanLimit>& limits_;
  std::vector<Seen> seen_;
  std::int64_t count_ = 0;
};

}  // namespace ridge::simulate
