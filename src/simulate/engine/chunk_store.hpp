#pragma once
// Chunks of prompts that left the chip's own memory and wait below it: host memory, then flash. Each tier keeps those
// used last; what falls out of one goes into the next, and out of the last one is gone.

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "simulate/clock.hpp"

namespace ridge::simulate {

/// A tier as one rank sees it.
struct TierLimits {
  std::int64_t tokens = 0;  // that it holds
  Nanoseconds latency = 0;  // of a fetch
  double token_time = 0;    // ns to fetch one
};

class ChunkStore {
 public:
  explicit ChunkStore(const std::vector<TierLimits>& tiers) : tiers_(tiers.size()) {
    for (std::size_t i = 0; i < tiers.size(); ++i) tiers_[i].capacity = tiers[i].tokens;
  }

  bool any() const { return !tiers_.empty(); }
  /// A chunk of so many tokens that left the chip: into the first tier.
  void put(std::uint64_t name, std::int64_t tokens);
  /// The tier that has it, and -1: none.
  int tier_of(std::uint64_t name) const;
  /// It is in the chip's own memory again.
  void erase(std::uint64_t name);
  std::int64_t tokens(std::size_t tier) const { return tiers_[tier].held; }
  std::size_t tiers() const { return tiers_.size(); }

 private:
  struct Chunk {
    std::uint64_t name;
    std::int64_t tokens;
  };
  struct Tier {
    std::int64_t capacity = 0, held = 0;
    std::list<Chunk> by_use;  // the longest unused first
    std::unordered_map<std::uint64_t, std::list<Chunk>::iterator> by_name;
  };
  std::vector<Tier> tiers_;
};

}  // namespace ridge::simulate
