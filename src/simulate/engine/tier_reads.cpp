#include "simulate/engine/tier_reads.hpp"

#include <algorithm>

namespace ridge::simulate {

TierReads::Fetch TierReads::worth(Nanoseconds now, const KvCache& cache, const SharedChunks& shared, std::int32_t from,
                                  std::int32_t most) const {
  Fetch best, so_far;
  best.tokens.assign(tiers_.size(), 0);
  so_far.tokens = best.tokens;
  double saved = 0;
  const auto all = std::min(most, static_cast<std::int32_t>(shared.names.size()));
  for (std::int32_t i = from; i < all; ++i) {
    const std::uint64_t name = shared.names[static_cast<std::size_t>(i)];
    if (!cache.has(name)) {
      const int tier = cache.below().tier_of(name);
      if (tier < 0) break;
      so_far.tokens[static_cast<std::size_t>(tier)] += shared.tokens;
    }
    ++so_far.chunks;
    double slowest = 0;
    for (std::size_t t = 0; t < tiers_.size(); ++t) {
      if (so_far.tokens[t] == 0) continue;
      const double waits = static_cast<double>(std::max<Nanoseconds>(0, free_[t] - now) + tiers_[t].latency);
      slowest = std::max(slowest, waits + tiers_[t].token_time * static_cast<double>(so_far.tokens[t]));
    }
    const double saves = recompute_time_ * static_cast<double>(so_far.chunks) * shared.tokens - slowest;
    if (saves <= saved) continue;
    saved = saves;
    best = so_far;
  }
  return best;
}

Nanoseconds TierReads::ready_at(Nanoseconds now, const Fetch& wanted) {
  Nanoseconds ready = now;
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    if (wanted.tokens[t] == 0) continue;
    free_[t] = std::max(free_[t], now) +
               static_cast<Nanoseconds>(tiers_[t].token_time * static_cast<double>(wanted.tokens[t]));
    ready = std::max(ready, free_[t] + tiers_[t].latency);
  }
  return ready;
}

void TierReads::begin(Nanoseconds now, Slot slot, const Fetch& wanted) {
  on_their_way_.push_back({slot, ready_at(now, wanted)});
}

void TierReads::take_ready(Nanoseconds now, std::vector<Slot>& begun) {
  if (on_their_way_.empty()) return;
  for (const Read& one : on_their_way_) {
    if (one.ready <= now) begun.push_back(one.slot);
  }
  std::erase_if(on_their_way_, [now](const Read& one) { return one.ready <= now; });
}

std::optional<Nanoseconds> TierReads::next() const {
  std::optional<Nanoseconds> first;
  for (const Read& one : on_their_way_) {
    if (!first || one.ready < *first) first = one.ready;
  }
  return first;
}

}  // namespace ridge::simulate
