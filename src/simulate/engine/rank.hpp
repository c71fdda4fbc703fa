#pragma once
// One scheduler with its KV cache: the requests of one attention group. It composes steps and says what each brings.
//
//   RequestQueue --admission--> prefill, piece by piece --give_token--> Decodes --complete--> gone
//        ^------------------------- preempt ----------------------------'

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/client/random.hpp"
#include "simulate/engine/decodes.hpp"
#include "simulate/engine/expected_outputs.hpp"
#include "simulate/engine/kv_cache.hpp"
#include "simulate/engine/live_request.hpp"
#include "simulate/engine/rank_counts.hpp"
#include "simulate/engine/request_queue.hpp"
#include "simulate/engine/running_list.hpp"
#include "simulate/engine/scheduler.hpp"
#include "simulate/engine/seats.hpp"
#include "simulate/engine/speculation.hpp"
#include "simulate/engine/step_work.hpp"
#include "simulate/engine/tier_reads.hpp"

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
  void enqueue(Slot slot) { queue_.put(slot); }
  /// The next step, from what is known now; empty where there is nothing to do. `may_prefill`: whether prompts may begin,
  /// which ranks in lock step agree on.
  void compose(Nanoseconds now, RankStep& step, bool may_prefill = true);
  /// The step has ended: what it held of those that finished is free.
  void complete(const RankStep& step, Nanoseconds now) {
    counts_.decoded_tokens += step.work.decodes;
    if (!preempted_.empty() || !step.finished.empty()) settle(step, now);
  }

  bool has_prefill() const { return !begun_.empty() || queue_.size() > 0; }
  std::int64_t running() const { return running_; }
  std::int64_t waiting() const { return queue_.size(); }
  std::int64_t decoding() const { return decodes_.count(); }
  /// When a request that waits for its context can go on; nothing where none does.
  std::optional<Nanoseconds> fetched_at() const { return reads_.next(); }
  /// The clock starts again: now is 0. Nothing may be under way.
  void rebase(Nanoseconds now);
  const KvCache& cache() const { return cache_; }
  const RankCounts& counts() const { return counts_; }

 private:
  // Steps: rank.cpp
  bool is_quiet() const;
  void decode_quietly(RankStep& step);
  void settle(const RankStep& step, Nanoseconds now);
  void fill_mixed(Nanoseconds now, RankStep& step, bool may_prefill);
  void fill_prefill_first(Nanoseconds now, RankStep& step, bool may_prefill);
  void fill_seats(Nanoseconds now, RankStep& step);
  void decode(RankStep& step);
  void prefill_begun(RankStep& step, std::int64_t& budget);
  bool compute(Slot slot, std::int64_t tokens, RankStep& step);
  void give_token(Slot slot, RankStep& step);
  std::int64_t prefill_first_budget() const { return std::min(rules_.token_budget, rules_.prefill_budget); }

  // Who runs: rank_admission.cpp
  struct Place {                 // that a request takes in the KV cache
    std::int32_t hits = 0;       // chunks that are there
    TierReads::Fetch wanted;     // and those to be read from tiers
    std::int32_t cached = 0;     // tokens of both
    std::int64_t blocks = 0;     // of its own
    bool fits_the_step = false;  // where prompts are not cut
  };
  Place place_of(Nanoseconds now, const LiveRequest& one, std::int64_t budget) const;
  bool has_room(const LiveRequest& one, const Place& place) const;
  bool let_in(Nanoseconds now, Slot slot, std::int64_t budget);
  bool admit(Nanoseconds now, Slot slot, std::int64_t& budget, RankStep& step);
  void admit_computed(Nanoseconds now, RankStep& step);
  void admit_waiting(Nanoseconds now, RankStep& step, std::int64_t& budget);
  bool estimates() const { return rules_.admission == Admission::estimated_output; }
  void make_room();
  std::int32_t generated(const LiveRequest& one) const;
  Slot leaves_first() const;
  void correct_estimate();
  void preempt(Slot slot);

  // What they hold: rank_admission.cpp
  void keep_chunks(LiveRequest& one, std::int32_t tokens);
  void count_blocks(LiveRequest& one, std::int64_t tokens) const;
  void release(LiveRequest& one);

  SchedulerRules rules_;
  Speculation speculation_;
  LiveRequests* live_;
  KvCache cache_;
  Random random_;
  RequestQueue queue_;
  std::vector<Slot> begun_;  // prompts begun and not done, in order
  TierReads reads_;          // of those admitted whose context is on its way
  RunningList list_;
  std::int64_t running_ = 0;  // admitted and not finished
  Decodes decodes_;
  ExpectedOutputs outputs_;
  bool full_ = false, ended_ = false;  // where it estimates: nobody is let in until a step of decodes after one ended
  std::optional<Seats> seats_;         // of Batching::slots alone
  std::vector<Slot> preempted_;        // since the last step ended
  RankCounts counts_;
};

}  // namespace ridge::simulate
