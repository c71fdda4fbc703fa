#include "simulate/engine/rank.hpp"

#include <algorithm>

namespace ridge::simulate {

namespace {

/// An engine with numbered seats keeps nothing below the chip's own memory.
std::vector<TierLimits> tiers_of(const SchedulerRules& rules, const RankLimits& limits) {
  return rules.batching == Batching::slots || !rules.prefix_cache ? std::vector<TierLimits>() : limits.tiers;
}

/// Blocks are needed for outputs as they grow, or 0.
std::int32_t growing_blocks(const SchedulerRules& rules) {
  return rules.admission == Admission::whole ? 0 : rules.block_tokens;
}

}  // namespace

Rank::Rank(const SchedulerRules& rules, const RankLimits& limits, LiveRequests& live)
    : rules_(rules),
      speculation_(limits.speculation),
      live_(&live),
      cache_(limits.blocks, rules.block_tokens, rules.prefix_cache, tiers_of(rules, limits)),
      random_(limits.seed),
      queue_(rules.order, rules.poll_steps, live),
      reads_(tiers_of(rules, limits), limits.recompute_time),
      list_(live),
      decodes_(live, limits.longest_output, growing_blocks(rules)),
      outputs_(rules.output_estimate) {
  if (rules.batching == Batching::slots) seats_.emplace(rules.max_sequences, random_);
}

bool Rank::holds(const Request& request) const {
  const std::int64_t longest = std::int64_t{request.prompt} + request.output;
  // a prompt that may not be cut has to fit a step, after a preemption with all that was generated
  const std::int64_t budget = rules_.batching == Batching::prefill_first ? prefill_first_budget() : rules_.token_budget;
  const std::int64_t at_once = rules_.admission == Admission::whole ? request.prompt : longest;
  if (!rules_.chunked_prefill && at_once > budget) return false;
  return cache_.blocks_for(longest) <= cache_.blocks();
}

/// Whether the next step is one of decodes that changes nothing but their context: most are.
bool Rank::is_quiet() const {
  return queue_.size() == 0 && decodes_.count() > 0 && decodes_.ends_none() && begun_.empty() && !reads_.any() &&
         !seats_ && cache_.free() >= decodes_.blocks();
}

/// What compose() comes to then.
void Rank::decode_quietly(RankStep& step) {
  outputs_.begin_step();
  if (ended_) full_ = ended_ = false;
  cache_.take(decodes_.blocks());
  step.work.decodes = decodes_.count();
  step.work.decode_context = decodes_.context();
  outputs_.decoded();
  queue_.decoded_alone();
  decodes_.advance_quietly();
  if (rules_.batching == Batching::prefill_first) outputs_.shrink();
  step.last_decode = decodes_.steps() - 1;
}

void Rank::compose(Nanoseconds now, RankStep& step, bool may_prefill) {
  step.clear();
  if (is_quiet()) return decode_quietly(step);
  outputs_.begin_step();
  if (decodes_.count() == 0) full_ = false;
  queue_.look(decodes_.count() > 0);
  switch (rules_.batching) {
    case Batching::mixed:
      fill_mixed(now, step, may_prefill);
      break;
    case Batching::prefill_first:
      fill_prefill_first(now, step, may_prefill);
      break;
    case Batching::slots:
      fill_seats(now, step);
      break;
  }
  if (step.work.prompts > 0) queue_.prefilled();
  if (running_ == 0) outputs_.start_again();
  step.last_decode = decodes_.steps() - 1;
}

/// A token of every running request, then prompts in what the budget leaves.
void Rank::fill_mixed(Nanoseconds now, RankStep& step, bool may_prefill) {
  const std::int64_t preempted = counts_.preemptions;
  reads_.take_ready(now, begun_);
  admit_computed(now, step);
  decode(step);
  std::int64_t budget = rules_.token_budget - step.work.decodes * (1 + speculation_.tokens);
  prefill_begun(step, budget);
  if (may_prefill && counts_.preemptions == preempted) admit_waiting(now, step, budget);
  if (step.work.empty()) decode(step);  // whoever came computed behind one that had to wait
}

/// Prompts alone where any can begin; else a token of every running request.
void Rank::fill_prefill_first(Nanoseconds now, RankStep& step, bool may_prefill) {
  const std::int64_t preempted = counts_.preemptions;
  reads_.take_ready(now, begun_);
  admit_computed(now, step);
  std::int64_t budget = prefill_first_budget();
  prefill_begun(step, budget);
  if (may_prefill && counts_.preemptions == preempted) admit_waiting(now, step, budget);
  if (step.work.prompts > 0) return;
  decode(step);
  outputs_.shrink();
}

/// A token of every seat, then prompts in the order of seats.
void Rank::fill_seats(Nanoseconds now, RankStep& step) {
  const std::int64_t rows = seats_->side_by_side(*live_);
  decode(step);
  if (step.work.decodes > 0) step.work.decode_batches = rows;
  while (queue_.any() && seats_->free() >= 0 && let_in(now, queue_.first(), rules_.token_budget)) {
    const Slot slot = queue_.first();
    const std::int32_t seat = seats_->free();
    queue_.take_first();
    (*live_)[slot].seat = seat;
    seats_->take(seat, slot);
    const auto after = [&](Slot one, Slot other) { return (*live_)[one].seat < (*live_)[other].seat; };
    begun_.insert(std::upper_bound(begun_.begin(), begun_.end(), slot, after), slot);
  }
  std::int64_t budget = rules_.token_budget - step.work.decodes;
  prefill_begun(step, budget);
}

void Rank::decode(RankStep& step) {
  if (ended_) full_ = ended_ = false;
  make_room();
  if (decodes_.count() == 0) return;
  cache_.take(decodes_.blocks());
  step.work.decodes = decodes_.count();
  step.work.decode_context = decodes_.context();
  outputs_.decoded();
  queue_.decoded();
  const std::size_t before = step.finished.size();
  decodes_.advance(step.finished);
  for (std::size_t i = before; i < step.finished.size(); ++i) {
    LiveRequest& one = (*live_)[step.finished[i]];
    count_blocks(one, one.to_compute + one.tokens_to_decode());
    outputs_.leave(one, decodes_.steps());
    list_.remove(step.finished[i]);
  }
}

void Rank::prefill_begun(RankStep& step, std::int64_t& budget) {
  std::size_t done = 0;
  while (done < begun_.size() && budget > 0) {
    const LiveRequest& one = (*live_)[begun_[done]];
    if (!rules_.chunked_prefill && one.remaining() > budget) break;
    const std::int64_t tokens = std::min<std::int64_t>(one.remaining(), budget);
    budget -= tokens;
    if (!compute(begun_[done], tokens, step)) break;
    ++done;
  }
  begun_.erase(begun_.begin(), begun_.begin() + static_cast<std::ptrdiff_t>(done));
}

/// Computes so many tokens of a prompt; whether that was the last of it.
bool Rank::compute(Slot slot, std::int64_t tokens, RankStep& step) {
  LiveRequest& one = (*live_)[slot];
  step.work.add_prompt(tokens, one.computed);
  counts_.computed_tokens += tokens;
  one.computed += static_cast<std::int32_t>(tokens);
  if (one.remaining() > 0) return false;
  keep_chunks(one, one.request.prompt);
  give_token(slot, step);
  return true;
}

/// Its prompt is computed, here or elsewhere: it gets a token when the step ends, and goes on, or has all it asked for.
void Rank::give_token(Slot slot, RankStep& step) {
  LiveRequest& one = (*live_)[slot];
  outputs_.prefilled(one);
  step.first_tokens.push_back(slot);
  if (one.tokens_to_decode() > 0 && !one.prefill_only) {
    const std::int32_t steps = speculation_.steps_for(one.tokens_to_decode(), random_);
    decodes_.join(slot, steps);
    outputs_.join(one, steps);
    return;
  }
  step.finished.push_back(slot);
  list_.remove(slot);  // its seat is taken until its last step has ended
}

/// Of those that were preempted, or had all they asked for.
void Rank::settle(const RankStep& step, Nanoseconds now) {
  for (const Slot slot : preempted_) (*live_)[slot].last_token = now;
  preempted_.clear();
  ended_ = ended_ || !step.finished.empty();
  for (const Slot slot : step.finished) {
    LiveRequest& one = (*live_)[slot];
    keep_chunks(one, one.request.prompt + one.request.output - 1);
    release(one);
    --running_;
    if (one.seat >= 0) seats_->leave(one.seat, now);
  }
}

void Rank::rebase(Nanoseconds now) {
  reads_.rebase();
  if (seats_) seats_->rebase(now);
}

}  // namespace ridge::simulate
