#pragma once
// Requests through time: clients send, engines compose steps, each step takes what our equations say. From a setup to
// what everybody saw; the same setup gives the same bytes.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulate/answer/samples.hpp"
#include "simulate/client/client.hpp"
#include "simulate/engine/replica.hpp"
#include "simulate/engine/router.hpp"

namespace ridge::simulate {

/// A replica fails: what it runs is lost and tried again elsewhere, its KV cache is gone.
struct Outage {
  Nanoseconds at = 0;
  Nanoseconds length = 0;  // 0: it does not come back
  std::int32_t replica = 0;
};

/// Outages that are known, and others at random: each replica that is up fails after an exponential time.
struct FailureRules {
  std::vector<Outage> outages;
  Nanoseconds mean_time = 0;  // 0: none at random
  Nanoseconds repair = 0;     // until it is back from one of those

  bool any() const { return !outages.empty() || mean_time > 0; }
};

/// A run has to last so many times as long as a request, or a wave is taken for a rate.
inline constexpr double kSteadyLives = 3;

/// Retries after which a request is given up.
inline constexpr std::int32_t kMostRetries = 20;

/// Chips that compute prompts alone, and the way of a prompt's KV cache from them to those that decode: each replica sends
/// one prompt after the other.
struct PrefillPoolSetup {
  ReplicaSetup replica;
  std::int32_t replicas = 1;
  Nanoseconds link_latency = 0;
  double link_time = 0;  // ns for each token of a prompt
};

struct SimulationSetup {
  ReplicaSetup replica;
  std::int32_t replicas = 1;
  std::optional<PrefillPoolSetup> prefill;  // where disaggregated; the others then decode alone
  Routing routing = Routing::least_loaded;
  FailureRules failures;
  ClientRules client;
  std::uint64_t seed = 1;
};

/// What is promised of a request; 0: nothing.
struct LatencyTargets {
  double ttft = 0, tpot = 0, e2e = 0;  // s

  bool any() const { return ttft > 0 || tpot > 0 || e2e > 0; }
};

/// Spans that requests took.
struct Latencies {
  Samples ttft, tpot, itl, e2e, queue;
  std::int64_t within_targets = 0;

  double goodput_share() const {
    return e2e.count() == 0 ? 0 : static_cast<double>(within_targets) / static_cast<double>(e2e.count());
  }
};

/// A statistic of steady spans that must not be longer.
struct SpanLimit {
  enum class Of : std::uint8_t { ttft, tpot, e2e };

  Of of = Of::ttft;
  double share = 0.99;  // of spans that a percentile leaves below it; 0: the mean
  double longest = 0;   // s
};

/// Steady requests that are enough to be judged by; else all of a run are.
inline constexpr std::int64_t kEnoughSteady = 200;

/// A moment of a run.
struct Moment {
  double at = 0;  // s
  double running = 0, waiting = 0, cache_used = 0;
};

/// Of requests that no replica can ever take.
std::string why_refused();

struct SimulationResult {
  Latencies all;     // as a benchmark counts: every request
  Latencies steady;  // sent after the first wave was answered, answered before the last was sent
  std::int64_t sent = 0, finished = 0, refused = 0;
  std::int64_t failures = 0, retries = 0;             // of replicas; requests that had to be sent again, each time
  std::int64_t lost = 0;                              // requests that were given up
  std::int64_t prompt_tokens = 0, output_tokens = 0;  // of finished requests
  double duration = 0;                                // s, from the first to the last moment
  double steady_duration = 0;
  std::int64_t steady_finished = 0, steady_output_tokens = 0, steady_prompt_tokens = 0;
  double in_flight = 0;                   // requests on their way, on average over time
  double mean_cache = 0, most_cache = 0;  // share of the KV cache in use, of the replicas that decode
  double mean_running = 0;
  double busy = 0;                         // share of the time in steps, of the replicas that decode
  double prefill_busy = 0;                 // of those that prefill, where they are others
  std::int64_t steps = 0, rank_steps = 0;  // of replicas, and of the ranks in them
  RankCounts counts;
  // Of requests that come whether or not others are answered, between the middle one and the last:
  double queue_growth = 0;  // requests a second by which the queue grew
  bool saturated = false;   // the queue was never empty, and grew by more than chance
  double finish_rate = 0;   // requests a second over the middle half of the answers, where it is saturated
  bool stopped = false;     // somebody asked
  bool exceeded = false;    // a limit that was asked about, by steady requests (Onlookers::verdict)
  std::vector<Moment> timeline;

  /// Requests that meet no first wave and no end, where there are enough of them.
  const Latencies& judged() const { return steady.e2e.count() >= kEnoughSteady ? steady : all; }
  /// What half of the requests take from being admitted on at most, about; s.
  double service_time() const;
  double output_rate() const { return duration > 0 ? static_cast<double>(output_tokens) / duration : 0; }
  double request_rate() const { return duration > 0 ? static_cast<double>(finished) / duration : 0; }
};

/// Who looks on. Each may be empty.
struct Onlookers {
  std::function<void(const RequestOutcome&)> finished;
  /// A step that starts: replica, micro-batch, when, until when, what is in it.
  std::function<void(std::int32_t, std::int32_t, Nanoseconds, Nanoseconds, std::span<const StepWork>)> step;
  /// Called now and then with the requests finished so far; false stops the run, with what there is.
  std::function<bool(std::int64_t)> go_on;
  bool gaps = true;  // whether anybody asks for the spans between tokens (ITL)
  /// Where nothing is asked but whether these limits are kept and whether it is saturated: the run ends when that is
  /// certain, and of the rest says what it has seen so far.
  std::optional<std::vector<SpanLimit>> verdict = {};
  bool whole_where_kept = false;  // a run that keeps them goes on to its last request
};

SimulationResult simulate(const SimulationSetup& setup, const LatencyTargets& targets = {}, const Onlookers& look = {});

}  // namespace ridge::simulate
