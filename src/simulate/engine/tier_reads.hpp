#pragma once
// Context that is read from tiers below the chip's own memory: which of a prompt's chunks are nearer than computing them
// again, and when they are there. Tiers are read side by side, each in order.

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/engine/kv_cache.hpp"
#include "simulate/engine/live_request.hpp"

namespace ridge::simulate {

class TierReads {
 public:
  /// `recompute_time`: ns that a token of a prompt takes to compute.
  TierReads(const std::vector<TierLimits>& tiers, double recompute_time)
      : tiers_(tiers), free_(tiers.size(), 0), recompute_time_(recompute_time) {}

  /// What is read for a request.
  struct Fetch {
    std::int32_t chunks = 0;           // after those in the chip's memory
    std::vector<std::int64_t> tokens;  // of each tier
  };
  /// Chunks from `from` on, as many as save most time. What is in the chip's own memory behind a chunk that is not costs
  /// nothing.
  Fetch worth(Nanoseconds now, const KvCache& cache, const SharedChunks& shared, std::int32_t from,
              std::int32_t most) const;
  /// Begins to read it, behind what was asked of the tiers before.
  void begin(Nanoseconds now, Slot slot, const Fetch& wanted);
  /// Requests whose context has come by now, in the order in which it was asked for, go behind `begun`.
  void take_ready(Nanoseconds now, std::vector<Slot>& begun);
  bool any() const { return !on_their_way_.empty(); }
  /// Whether it was the last to begin, and is not there yet.
  bool waits(Slot slot) const { return !on_their_way_.empty() && on_their_way_.back().slot == slot; }
  void drop(Slot slot) {
    std::erase_if(on_their_way_, [slot](const Read& one) { return one.slot == slot; });
  }
  /// When the next one is there; nothing where none is on its way.
  std::optional<Nanoseconds> next() const;
  /// The clock starts again, with nothing on its way.
  void rebase() { free_.assign(free_.size(), 0); }

 private:
  struct Read {
    Slot slot;
    Nanoseconds ready;
  };
  Nanoseconds ready_at(Nanoseconds now, const Fetch& wanted);

  std::vector<TierLimits> tiers_;
  std::vector<Nanoseconds> free_;  // of each: when all that was asked of it is there
  double recompute_time_ = 0;
  std::vector<Read> on_their_way_;
};

}  // namespace ridge::simulate
