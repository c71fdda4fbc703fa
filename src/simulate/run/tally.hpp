#pragma once
// What became of requests, added up as a run goes on: of all, of those that met neither a first wave nor an end, and
// whether a verdict on their spans is certain already.

#include <cstdint>
#include <optional>

#include "simulate/answer/limit_watch.hpp"
#include "simulate/answer/run_watch.hpp"
#include "simulate/simulation.hpp"

namespace ridge::simulate {

class Tally {
 public:
  /// Of a run that sends `total` requests. What it is made of outlives it; it adds to `result`.
  Tally(const SimulationSetup& setup, const LatencyTargets& targets, const Onlookers& look, std::int64_t total,
        SimulationResult& result);

  /// Whether whoever is answered now met no first wave and, unless `all_sent`, no end.
  bool is_steady(bool all_sent) const { return steady_from_ >= 0 && !all_sent; }
  /// One more is sent; `behind`: those that were sent before it and neither run nor are over.
  void sent(Nanoseconds now, std::int64_t behind);
  void waits(double waiting) { growth_.waits(waiting); }
  void gaps(const StepNews& news, bool all_sent);
  void finished(const RequestOutcome& outcome, Nanoseconds now, bool all_sent);
  /// Nobody asks for more than is certain now.
  bool is_decided() const { return is_decided_; }
  void tell(Nanoseconds now);

 private:
  void all_sent();
  void count_steady(const RequestOutcome& outcome);
  void exceed() { is_decided_ = result_.exceeded = true; }
  double finish_rate() const;

  const LatencyTargets& targets_;
  const Onlookers& look_;
  SimulationResult& result_;
  std::int64_t total_, first_wave_;
  bool is_open_;
  Nanoseconds steady_from_ = -1, steady_to_ = -1, quarter_ = 0, three_quarters_ = 0;
  QueueGrowth growth_;
  std::optional<LimitWatch> limits_, all_limits_;  // of whoever asks for a verdict alone; of steady requests and of all
  bool is_decided_ = false, judges_all_ = false;   // too few are steady
};

}  // namespace ridge::simulate
