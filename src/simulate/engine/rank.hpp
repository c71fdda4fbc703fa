#pragma once
// One scheduler with its KV cache: the requests of one attention group. It composes steps and says what each brings.
// A step costs what it changes, not what runs: requests that decode are a count, a sum of contexts, and a calendar of the
// steps that end them or need another block for them.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "simulate/client/random.hpp"
#include "simulate/engine/kv_cache.hpp"
#include "simulate/engine/live_request.hpp"
#include "simulate/engine/scheduler.hpp"
#include "simulate/engine/step_work.hpp"

namespace ridge::simulate {

/// A step of one rank: its work, and who gets a first or a last token when it ends.
struct RankStep {
  StepWork work;
  std::vector<Slot> first_tokens, finished;
  std::int64_t last_decode = -1;  // the decode step it is, or the last before it

  void clear() {
    work = {};
    first_tokens.clear();
    finished.clear();
    last_decode = -1;
  }
};

/// What a rank did, in all.
struct RankCounts {
  std::int64_t preemptions = 0, lost_tokens = 0;         // tokens computed again after them
  std::int64_t prompt_tokens = 0, cached_tokens = 0;     // of admitted prompts, and of those found in the prefix cache
  std::int64_t computed_tokens = 0, decoded_tokens = 0;  // of prompts in steps; given by decodes
  std::int64_t fetched_tokens = 0;                       // of the cached ones, from tiers below the chip's memory
};

RankCounts& operator+=(RankCounts& sum, const RankCounts& one);
RankCounts& operator-=(RankCounts& sum, const RankCounts& one);

struct RankLimits {
  std::int64_t blocks = 0;          // of the KV cache
  std::int32_t longest_output = 1;  // of any request that will come
  Speculation speculation;
  std::uint64_t seed = 0;
  std::vector<TierLimits> tiers;  // below the chip's own memory, the nearest first
  double recompute_time = 0;      // ns that a token of a prompt takes to compute, where one might be fetched instead
};

class Rank {
 public:
  Rank(const SchedulerRules& rules, const RankLimits& limits, LiveRequests& live);

  /// Whether the KV cache could ever hold it.
  bool holds(const Request& request) const;
  void enqueue(Slot slot);
  /// The next step, from what is known now; empty where there is nothing to do. `may_prefill`: whether prompts may begin,
  /// which ranks in lock step agree on.
  void compose(Nanoseconds now, RankStep& step, bool may_prefill = true);
  /// The step has ended: what it held of those that finished is free.
  void complete(const RankStep& step, Nanoseconds now);

  bool has_prefill() const { return !prefilling_.empty() || !waiting_.empty() || !inbox_.empty(); }
  std::int64_t running() const { return running_; }
  std::int64_t decoding() const { return decodes_; }
  /// When a request that waits for its context can go on; nothing where none does.
  std::optional<Nanoseconds> fetched_at() const;
  /// The clock starts again: now is 0. Nothing may be under way.
  void rebase(Nanoseconds now);
  std::int64_t waiting() const { return static_cast<std::int64_t>(waiting_.size() + inbox_.size()); }
  const KvCache& cache() const { return cache_; }
  const RankCounts& counts() const { return counts_; }

 private:
  std::int64_t prefill_first_budget() const { return std::min(rules_.token_budget, rules_.prefill_budget); }
  std::int32_t output_clip() const { return static_cast<std::int32_t>(rules_.output_estimate.clip); }
  /// The first of those that end with a decode step.
  Slot& ends_with(std::int64_t step) { return ends_[static_cast<std::size_t>(step) & (ends_.size() - 1)]; }
  std::int32_t& even_blocks(std::int64_t step) {
    return even_blocks_[static_cast<std::size_t>(step) % even_blocks_.size()];
  }
  std::int64_t odd_blocks(std::int64_t step) const {
    return odd_blocks_.empty() ? 0 : odd_blocks_[static_cast<std::size_t>(step) & (odd_blocks_.size() - 1)];
  }

  void look_at_inbox();
  void fill(Nanoseconds now, RankStep& step, bool may_prefill);
  void decode(RankStep& step);
  void prefill_running(RankStep& step, std::int64_t& budget);
  void fill_seats(Nanoseconds now, RankStep& step);
  std::int32_t free_seat() const;
  std::int64_t seats_side_by_side() const;
  void admit_computed(Nanoseconds now, RankStep& step);
  void admit_waiting(Nanoseconds now, RankStep& step, std::int64_t& budget);
  bool admit(Nanoseconds now, Slot slot, std::int64_t& budget, RankStep& step);
  bool let_in(Nanoseconds now, Slot slot, std::int64_t budget);
  struct Fetch {
    std::int32_t chunks = 0;           // after those in the chip's memory
    std::vector<std::int64_t> tokens;  // of each tier
  };
  Fetch worth_fetching(Nanoseconds now, const SharedChunks& shared, std::int32_t from, std::int32_t most) const;
  Nanoseconds fetch(Nanoseconds now, const Fetch& wanted);
  void take_fetched(Nanoseconds now);
  void give_token(const LiveRequest& one, Slot slot, RankStep& step);
  void keep_chunks(LiveRequest& one, std::int32_t tokens);
  void count_blocks(LiveRequest& one, std::int64_t tokens) const;
  bool compute(LiveRequest& one, Slot slot, std::int64_t tokens, RankStep& step);
  void preempt(Slot slot);
  void join_decodes(Slot slot);
  void plan_blocks(const LiveRequest& one, std::int64_t from, std::int32_t sign);
  void count_even(const LiveRequest& one, std::int32_t sign);
  void leave_calendar(LiveRequest& one);
  void leave_outputs(LiveRequest& one, std::int64_t step);
  void release(LiveRequest& one);
  void unlink(Slot slot);
  std::int64_t context_at(const LiveRequest& one, std::int64_t step) const;
  std::int32_t decode_steps(std::int32_t tokens);
  Slot next_waiting();
  bool has_room_for_output(const LiveRequest& one, std::int64_t blocks) const;

  SchedulerRules rules_;
  Speculation speculation_;
  LiveRequests* live_;
  KvCache cache_;
  Random random_;
  std::deque<Slot> inbox_, waiting_;
  std::vector<Slot> prefilling_;  // begun and not done, in order
  struct Fetching {
    Slot slot;
    Nanoseconds ready;
  };
  std::vector<Fetching> fetching_;  // admitted, their context is on its way
  std::vector<TierLimits> tiers_;
  std::vector<Nanoseconds> tier_free_;  // of each: when all that was asked of it is there
  double recompute_time_ = 0;
  Slot first_running_ = kNoSlot, last_running_ = kNoSlot;
  std::int64_t running_ = 0;       // admitted and not finished
  std::int64_t decodes_ = 0;       // that get a token in the next decode step
  std::int64_t context_ = 0;       // of those, in 1/1024 tokens
  std::int64_t pace_ = 0;          // what a decode step adds to it
  std::int64_t outputs_left_ = 0;  // 1/1024 tokens that running requests may still generate, clipped
  std::int64_t output_pace_ = 0;   // what a decode step takes off it
  std::int64_t decode_step_ = 0;   // composed so far
  std::int32_t since_look_ = 0;
  double output_share_ = 0;
  // The calendar: small, for every step of every rank looks into it.
  std::vector<Slot> ends_;
  std::vector<std::int32_t> even_blocks_;  // of a step, by its number modulo a block's tokens: for a token a step
  std::vector<std::int64_t> odd_blocks_;   // for others, none until there is one
  struct Seat {
    Slot who = kNoSlot;
    Nanoseconds left = 0;  // when its last request ended
  };
  std::vector<Seat> seats_;      // of Batching::slots alone
  std::int64_t left_seats_ = 0;  // so far: seats left at the same moment have an order
  std::vector<Slot> preempted_;  // since the last step ended
  RankCounts counts_;
};

}  // namespace ridge::simulate
