#include "simulate/run/fleet.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ridge::simulate {

namespace {

std::size_t prefill_replicas(const SimulationSetup& setup) {
  return setup.prefill ? static_cast<std::size_t>(setup.prefill->replicas) : 0;
}

}  // namespace

Fleet::Fleet(const SimulationSetup& setup, LiveRequests& live)
    : setup_(setup),
      live_(&live),
      times_{setup.replica.time, setup.prefill ? setup.prefill->replica.time : StepTime()},
      decoders_(static_cast<std::size_t>(setup.replicas)),
      decoding_(setup.routing, 0, decoders_),
      prefilling_(setup.routing, decoders_, prefill_replicas(setup)) {
  for (std::size_t i = 0; i < decoders_ + prefill_replicas(setup); ++i) {
    replicas_.emplace_back(setup_of(i), live);
    sites_.emplace_back();
    sites_.back().awake = setup.replica.cold_start;
    pool_of(i).blocks += replicas_.back().blocks();
  }
}

ReplicaSetup Fleet::setup_of(std::size_t index) const {
  const bool here = decodes(index);
  ReplicaSetup one = in_chunks(here ? setup_.replica : setup_.prefill->replica);
  one.time = std::cref(times_[here ? 0 : 1]);
  one.limits.seed =
      mixed(here ? setup_.seed : ~setup_.seed, static_cast<std::uint64_t>(here ? index : index - decoders_));
  if (here) one.limits.longest_output = std::max(one.limits.longest_output, setup_.client.longest_output());
  return one;
}

/// Blocks so small that chunks are whole ones.
ReplicaSetup Fleet::in_chunks(ReplicaSetup one) const {
  const auto* replay = std::get_if<Replay>(&setup_.client.arrivals);
  const std::int32_t chunk = replay != nullptr ? replay->trace->chunk_tokens : setup_.client.chunk_tokens;
  if (chunk == 0) return one;
  const std::int32_t block = std::gcd(one.rules.block_tokens, chunk);
  one.limits.blocks *= one.rules.block_tokens / block;
  one.rules.block_tokens = block;
  return one;
}

void Fleet::note(std::size_t replica) {
  Site& one = sites_[replica];
  const Replica::Held held = replicas_[replica].held();
  running_ += held.running - one.held.running;
  waiting_ += held.waiting - one.held.waiting;
  pool_of(replica).used += held.blocks - one.held.blocks;
  one.held = held;
}

void Fleet::fail(std::size_t replica) {
  Site& one = sites_[replica];
  ++one.life;
  one.is_up = false;
  before_ -= replicas_[replica].counts();
  pool_of(replica).busy += replicas_[replica].busy_time();
  steps_before_ -= replicas_[replica].steps();
  replicas_[replica] = Replica(setup_of(replica), *live_);
  router_of(replica).set_up(replica, false);
}

void Fleet::come_back(std::size_t replica, Nanoseconds now) {
  Site& one = sites_[replica];
  one.is_up = true;
  one.awake = now;
  one.link_free = now;
  router_of(replica).set_up(replica, true);
}

void Fleet::forget(Nanoseconds now) {
  for (Replica& one : replicas_) {
    before_ += one.counts();
    steps_before_ += one.steps();
    one.rebase(now);
  }
  for (std::size_t i = 0; i < replicas_.size(); ++i) pool_of(i).busy -= replicas_[i].busy_time();
  for (Site& one : sites_) one.awake = one.link_free = 0;
}

void Fleet::tell(SimulationResult& result) {
  result.steps = -steps_before_;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    result.counts += replicas_[i].counts();
    pool_of(i).busy += replicas_[i].busy_time();
    result.steps += replicas_[i].steps();
    result.rank_steps += replicas_[i].steps() * (decodes(i) ? setup_.replica : setup_.prefill->replica).groups;
  }
  result.counts -= before_;
  const auto share = [&](const Pool& pool, std::size_t replicas) {
    return seconds(pool.busy) / std::max(1e-12, result.duration * static_cast<double>(replicas));
  };
  result.busy = share(pools_[0], decoders_);
  if (is_apart()) result.prefill_busy = share(pools_[1], replicas_.size() - decoders_);
}

}  // namespace ridge::simulate
