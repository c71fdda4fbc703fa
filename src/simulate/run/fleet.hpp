#pragma once
// The replicas of a run: those that decode, behind them those that compute prompts alone, their routers, and what they
// hold in all.

#include <cstdint>
#include <vector>

#include "simulate/simulation.hpp"

namespace ridge::simulate {

/// A replica beside what it does: when it can start, and what it was seen to hold.
struct Site {
  std::uint32_t life = 0;
  bool is_up = true;
  Nanoseconds awake = 0, link_free = 0;  // its link to those that decode
  Replica::Held held;
};

class Fleet {
 public:
  /// `setup` outlives it.
  Fleet(const SimulationSetup& setup, LiveRequests& live);
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  std::size_t size() const { return replicas_.size(); }
  bool is_apart() const { return setup_.prefill.has_value(); }
  bool decodes(std::size_t replica) const { return replica < decoders_; }
  Replica& operator[](std::size_t replica) { return replicas_[replica]; }
  Site& site(std::size_t replica) { return sites_[replica]; }

  /// Of requests that come, and of those whose prompts are computed.
  Router& first_router() { return is_apart() ? prefilling_ : decoding_; }
  Router& decoding_router() { return decoding_; }
  Router& router_of(std::size_t replica) { return decodes(replica) ? decoding_ : prefilling_; }
  /// Whether the KV caches on its way could ever hold it.
  bool holds(std::size_t replica, const Request& request) const {
    return replicas_[replica].holds(request) && replicas_.front().holds(request);
  }

  /// What a replica holds may have changed.
  void note(std::size_t replica);
  std::int64_t running() const { return running_; }
  std::int64_t waiting() const { return waiting_; }
  double cache_share() const { return pools_[0].share(); }  // of those that decode

  /// All that it ran and held is gone, and it is down.
  void fail(std::size_t replica);
  void come_back(std::size_t replica, Nanoseconds now);
  /// What was done so far was to warm up: the clock starts again, now is 0. Nothing may be under way.
  void forget(Nanoseconds now);
  void tell(SimulationResult& result);

 private:
  struct Pool {
    std::int64_t blocks = 0, used = 0;
    Nanoseconds busy = 0;  // of replicas that failed, less warm-ups; at the end all

    double share() const { return blocks > 0 ? static_cast<double>(used) / static_cast<double>(blocks) : 0; }
  };
  ReplicaSetup setup_of(std::size_t index) const;
  ReplicaSetup in_chunks(ReplicaSetup one) const;
  Pool& pool_of(std::size_t replica) { return pools_[decodes(replica) ? 0 : 1]; }

  const SimulationSetup& setup_;
  LiveRequests* live_;
  StepTime times_[2];     // of each pool: what its replicas have asked is known to all of them
  std::size_t decoders_;  // of the replicas, those that decode
  std::vector<Replica> replicas_;
  std::vector<Site> sites_;
  Router decoding_, prefilling_;
  Pool pools_[2];
  std::int64_t running_ = 0, waiting_ = 0;
  RankCounts before_;  // of warm-ups, less what replicas did before they failed: what tell() takes off
  std::int64_t steps_before_ = 0;
};

}  // namespace ridge::simulate
