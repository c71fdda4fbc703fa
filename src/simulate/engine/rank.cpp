#include "simulate/engine/rank.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace ridge::simulate {

namespace {

/// An engine with numbered seats keeps nothing below the chip's own memory.
std::vector<TierLimits> tiers_of(const SchedulerRules& rules, const RankLimits& limits) {
  return rules.batching == Batching::slots || !rules.prefix_cache ? std::vector<TierLimits>() : limits.tiers;
}

constexpr std::int64_t kPace = 1024;              // a token a step
constexpr std::size_t kLongestPrefixQueue = 128;  // SGLang: with more waiting, first come first served

/// Chunks of a prompt that a cache may spare it: its last token is computed in any case.
std::int32_t chunks_before_last(const SharedChunks& shared, std::int32_t tokens) {
  return shared.tokens == 0 ? 0 : (tokens - 1) / shared.tokens;
}

/// Of the chunks with names, those that so many tokens fill.
std::int32_t named_chunks(const SharedChunks& shared, std::int32_t tokens) {
  if (shared.tokens == 0) return 0;
  return std::min(static_cast<std::int32_t>(shared.names.size()), tokens / shared.tokens);
}

}  // namespace

RankCounts& operator-=(RankCounts& sum, const RankCounts& one) {
  sum.preemptions -= one.preemptions;
  sum.lost_tokens -= one.lost_tokens;
  sum.prompt_tokens -= one.prompt_tokens;
  sum.cached_tokens -= one.cached_tokens;
  sum.computed_tokens -= one.computed_tokens;
  sum.decoded_tokens -= one.decoded_tokens;
  sum.fetched_tokens -= one.fetched_tokens;
  return sum;
}

RankCounts& operator+=(RankCounts& sum, const RankCounts& one) {
  sum.preemptions += one.preemptions;
  sum.lost_tokens += one.lost_tokens;
  sum.prompt_tokens += one.prompt_tokens;
  sum.cached_tokens += one.cached_tokens;
  sum.computed_tokens += one.computed_tokens;
  sum.decoded_tokens += one.decoded_tokens;
  sum.fetched_tokens += one.fetched_tokens;
  return sum;
}

Rank::Rank(const SchedulerRules& rules, const RankLimits& limits, LiveRequests& live)
    : rules_(rules),
      speculation_(limits.speculation),
      live_(&live),
      cache_(limits.blocks, rules.block_tokens, rules.prefix_cache, tiers_of(rules, limits)),
      random_(limits.seed),
      tiers_(tiers_of(rules, limits)),
      tier_free_(tiers_.size(), 0),
      recompute_time_(limits.recompute_time),
      output_share_(rules.output_estimate.first),
      ends_(std::bit_ceil(static_cast<std::size_t>(limits.longest_output) + 2), kNoSlot),
      even_blocks_(static_cast<std::size_t>(rules.block_tokens), 0) {
  if (rules.batching != Batching::slots) return;
  seats_.resize(static_cast<std::size_t>(rules.max_sequences));
  // of a server that has run for a while: seats were left in any order
  for (Seat& seat : seats_) seat.left = -random_.whole(1, std::int64_t{1} << 31);
}

bool Rank::holds(const Request& request) const {
  const std::int64_t longest = std::int64_t{request.prompt} + request.output;
  // a prompt that may not be cut has to fit a step, after a preemption with all that was generated
  const std::int64_t budget = rules_.batching == Batching::prefill_first ? prefill_first_budget() : rules_.token_budget;
  const std::int64_t at_once = rules_.admission == Admission::whole ? request.prompt : longest;
  if (!rules_.chunked_prefill && at_once > budget) return false;
  return cache_.blocks_for(longest) <= cache_.blocks();
}

void Rank::enqueue(Slot slot) { inbox_.push_back(slot); }

void Rank::look_at_inbox() {
  // an engine that looks only after so many decode steps looks at once after prompts, and when it has nothing to do
  if (since_look_ < rules_.poll_steps && decodes_ > 0) return;
  since_look_ = 0;
  if (inbox_.empty()) return;
  waiting_.insert(waiting_.end(), inbox_.begin(), inbox_.end());
  inbox_.clear();
}

void Rank::compose(Nanoseconds now, RankStep& step, bool may_prefill) {
  step.clear();
  look_at_inbox();
  fill(now, step, may_prefill);
  step.last_decode = decode_step_ - 1;
}

void Rank::fill(Nanoseconds now, RankStep& step, bool may_prefill) {
  if (rules_.batching == Batching::slots) return fill_seats(now, step);
  const std::int64_t preempted = counts_.preemptions;
  take_fetched(now);
  admit_computed(now, step);
  if (rules_.batching != Batching::prefill_first) {
    decode(step);
    std::int64_t budget = rules_.token_budget - step.work.decodes * (1 + speculation_.tokens);
    prefill_running(step, budget);
    if (may_prefill && counts_.preemptions == preempted) admit_waiting(now, step, budget);
    if (step.work.empty()) decode(step);  // whoever came computed behind one that had to wait
    if (step.work.prompts > 0) since_look_ = rules_.poll_steps;
    return;
  }
  std::int64_t budget = prefill_first_budget();
  prefill_running(step, budget);
  if (may_prefill && counts_.preemptions == preempted) admit_waiting(now, step, budget);
  if (step.work.prompts > 0) {
    since_look_ = rules_.poll_steps;
    return;
  }
  decode(step);
  const OutputEstimate& share = rules_.output_estimate;
  output_share_ = std::max(share.last, output_share_ - (share.first - share.last) / share.steps);
}

/// A free seat: the one unused for longest, of those alike the last.
std::int32_t Rank::free_seat() const {
  std::int32_t best = -1;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].who != kNoSlot) continue;
    if (best < 0 || seats_[i].left <= seats_[static_cast<std::size_t>(best)].left) best = static_cast<std::int32_t>(i);
  }
  return best;
}

/// Rows of seats side by side whose requests decode.
std::int64_t Rank::seats_side_by_side() const {
  std::int64_t rows = 0;
  bool inside = false;
  for (const Seat& seat : seats_) {
    const bool decodes = seat.who != kNoSlot && (*live_)[seat.who].decoding;
    if (decodes && !inside) ++rows;
    inside = decodes;
  }
  return rows;
}

/// A token of every seat, then prompts in the order of seats.
void Rank::fill_seats(Nanoseconds now, RankStep& step) {
  const std::int64_t rows = seats_side_by_side();
  decode(step);
  if (step.work.decodes > 0) step.work.decode_batches = rows;
  while (!waiting_.empty() && free_seat() >= 0 && let_in(now, waiting_.front(), rules_.token_budget)) {
    const Slot slot = waiting_.front();
    const std::int32_t seat = free_seat();
    waiting_.pop_front();
    (*live_)[slot].seat = seat;
    seats_[static_cast<std::size_t>(seat)].who = slot;
    const auto after = [&](Slot one, Slot other) { return (*live_)[one].seat < (*live_)[other].seat; };
    prefilling_.insert(std::upper_bound(prefilling_.begin(), prefilling_.end(), slot, after), slot);
  }
  std::int64_t budget = rules_.token_budget - step.work.decodes;
  prefill_running(step, budget);
  if (step.work.prompts > 0) since_look_ = rules_.poll_steps;
}

void Rank::decode(RankStep& step) {
  // preempting a request takes its needs out of the calendar too
  const auto needed = [&] { return even_blocks(decode_step_) + odd_blocks(decode_step_); };
  while (cache_.free() < needed()) preempt(last_running_);
  if (decodes_ == 0) return;
  cache_.take(needed());
  if (!odd_blocks_.empty()) odd_blocks_[static_cast<std::size_t>(decode_step_) & (odd_blocks_.size() - 1)] = 0;
  step.work.decodes = decodes_;
  step.work.decode_context = context_ / kPace;
  context_ += pace_;
  outputs_left_ -= output_pace_;
  ++since_look_;
  Slot& ending = ends_with(decode_step_);
  for (Slot slot = ending; slot != kNoSlot;) {
    LiveRequest& one = (*live_)[slot];
    const Slot next = one.later;
    step.finished.push_back(slot);
    --decodes_;
    pace_ -= one.pace;
    context_ -= context_at(one, decode_step_ + 1);
    if (one.pace == kPace) count_even(one, -1);
    count_blocks(one, one.to_compute + one.request.output - one.generated - 1);
    leave_outputs(one, decode_step_ + 1);
    one.sooner = one.later = kNoSlot;
    one.decoding = false;
    unlink(slot);
    slot = next;
  }
  ending = kNoSlot;
  ++decode_step_;
}

std::int64_t Rank::context_at(const LiveRequest& one, std::int64_t step) const {
  return one.to_compute * kPace + one.pace * (step - one.joined);
}

void Rank::prefill_running(RankStep& step, std::int64_t& budget) {
  std::size_t done = 0;
  while (done < prefilling_.size() && budget > 0) {
    const Slot slot = prefilling_[done];
    LiveRequest& one = (*live_)[slot];
    if (!rules_.chunked_prefill && one.remaining() > budget) break;
    const std::int64_t tokens = std::min<std::int64_t>(one.remaining(), budget);
    budget -= tokens;
    if (!compute(one, slot, tokens, step)) break;
    ++done;
  }
  prefilling_.erase(prefilling_.begin(), prefilling_.begin() + static_cast<std::ptrdiff_t>(done));
}

Slot Rank::next_waiting() {
  if (rules_.order == QueueOrder::first_come || waiting_.size() == 1) return waiting_.front();
  if (rules_.order == QueueOrder::longest_prefix && waiting_.size() > kLongestPrefixQueue) return waiting_.front();
  const auto rank_of = [&](Slot slot) {
    const Request& request = (*live_)[slot].request;
    if (rules_.order == QueueOrder::priority) return static_cast<std::int64_t>(request.priority);
    return -std::int64_t{cache_.found(request.shared, chunks_before_last(request.shared, request.prompt))};
  };
  const auto best = std::min_element(waiting_.begin(), waiting_.end(),
                                     [&](Slot one, Slot other) { return rank_of(one) < rank_of(other); });
  const Slot slot = *best;
  waiting_.erase(best);
  waiting_.push_front(slot);
  return slot;
}

void Rank::admit_waiting(Nanoseconds now, RankStep& step, std::int64_t& budget) {
  while (!waiting_.empty() && budget > 0 && running_ < rules_.max_sequences && prefilling_.empty()) {
    if (!admit(now, next_waiting(), budget, step)) break;
    waiting_.pop_front();
  }
}

/// Requests whose prompts another pool computed join at once.
void Rank::admit_computed(Nanoseconds now, RankStep& step) {
  std::int64_t unlimited = rules_.token_budget;
  while (!waiting_.empty() && (*live_)[waiting_.front()].arrives_computed && running_ < rules_.max_sequences) {
    if (!admit(now, waiting_.front(), unlimited, step)) break;
    waiting_.pop_front();
  }
}

bool Rank::has_room_for_output(const LiveRequest& one, std::int64_t blocks) const {
  const double promised = output_share_ * static_cast<double>(outputs_left_) / kPace;
  const double own = std::min(one.request.output, output_clip());
  return static_cast<double>((cache_.free() - blocks) * rules_.block_tokens) >= promised + own;
}

/// Its place in the KV cache and among those that run, where there is one.
bool Rank::let_in(Nanoseconds now, Slot slot, std::int64_t budget) {
  LiveRequest& one = (*live_)[slot];
  const SharedChunks& shared = one.request.shared;
  const std::int32_t hits = one.arrives_computed ? 0 : cache_.found(shared, chunks_before_last(shared, one.to_compute));
  Fetch wanted;
  if (cache_.below().any() && !one.arrives_computed)
    wanted = worth_fetching(now, shared, hits, chunks_before_last(shared, one.to_compute));
  const std::int32_t cached = (hits + wanted.chunks) * shared.tokens;
  const std::int64_t tokens = one.to_compute - cached;
  if (!one.arrives_computed && !rules_.chunked_prefill && tokens > budget) return false;
  cache_.hold(shared, hits);  // or what is to be kept for it might be counted as free
  const bool whole = rules_.admission == Admission::whole && !one.prefill_only;
  const std::int64_t longest = whole ? std::int64_t{one.request.prompt} + one.request.output : one.to_compute;
  const std::int64_t blocks = cache_.blocks_for(longest) - hits * cache_.chunk_blocks(shared);
  const bool counts_outputs = rules_.admission == Admission::estimated_output && running_ > 0 && !one.prefill_only;
  const bool room = cache_.free() >= blocks && (!counts_outputs || has_room_for_output(one, blocks));
  if (!room) {
    cache_.release(shared, hits);
    return false;
  }
  cache_.take(blocks);
  one.own_blocks = blocks;
  one.held_chunks = hits;
  one.computed = cached;
  if (one.outcome.admitted < 0) {
    one.outcome.admitted = now;
    one.outcome.cached = cached;
    counts_.prompt_tokens += one.to_compute;
    counts_.cached_tokens += cached;
    counts_.fetched_tokens += wanted.chunks * shared.tokens;
  }
  if (wanted.chunks > 0) fetching_.push_back({slot, fetch(now, wanted)});
  ++running_;
  one.outputs_left = std::min(one.request.output - one.generated, output_clip()) * kPace;
  outputs_left_ += one.outputs_left;
  one.before = last_running_;
  one.after = kNoSlot;
  (last_running_ == kNoSlot ? first_running_ : (*live_)[last_running_].after) = slot;
  last_running_ = slot;
  return true;
}

/// Chunks from `from` on that are nearer than computing them again: as many as save most time. What is in the chip's own
/// memory behind a chunk that is not costs nothing.
Rank::Fetch Rank::worth_fetching(Nanoseconds now, const SharedChunks& shared, std::int32_t from,
                                 std::int32_t most) const {
  Fetch best, so_far;
  best.tokens.assign(tiers_.size(), 0);
  so_far.tokens = best.tokens;
  double saved = 0;
  const auto all = std::min(most, static_cast<std::int32_t>(shared.names.size()));
  for (std::int32_t i = from; rules_.prefix_cache && i < all; ++i) {
    const std::uint64_t name = shared.names[static_cast<std::size_t>(i)];
    if (!cache_.has(name)) {
      const int tier = cache_.below().tier_of(name);
      if (tier < 0) break;
      so_far.tokens[static_cast<std::size_t>(tier)] += shared.tokens;
    }
    ++so_far.chunks;
    double slowest = 0;
    for (std::size_t t = 0; t < tiers_.size(); ++t) {
      if (so_far.tokens[t] == 0) continue;
      const double waits = static_cast<double>(std::max<Nanoseconds>(0, tier_free_[t] - now) + tiers_[t].latency);
      slowest = std::max(slowest, waits + tiers_[t].token_time * static_cast<double>(so_far.tokens[t]));
    }
    const double saves = recompute_time_ * static_cast<double>(so_far.chunks) * shared.tokens - slowest;
    if (saves <= saved) continue;
    saved = saves;
    best = so_far;
  }
  return best;
}

/// Behind what was asked of the tiers before; when all of it is there.
Nanoseconds Rank::fetch(Nanoseconds now, const Fetch& wanted) {
  Nanoseconds ready = now;
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    if (wanted.tokens[t] == 0) continue;
    tier_free_[t] = std::max(tier_free_[t], now) +
                    static_cast<Nanoseconds>(tiers_[t].token_time * static_cast<double>(wanted.tokens[t]));
    ready = std::max(ready, tier_free_[t] + tiers_[t].latency);
  }
  return ready;
}

/// Those whose context has come go on as prompts that are begun.
void Rank::take_fetched(Nanoseconds now) {
  if (fetching_.empty()) return;
  for (const Fetching& one : fetching_) {
    if (one.ready <= now) prefilling_.push_back(one.slot);
  }
  std::erase_if(fetching_, [&](const Fetching& one) { return one.ready <= now; });
}

std::optional<Nanoseconds> Rank::fetched_at() const {
  std::optional<Nanoseconds> first;
  for (const Fetching& one : fetching_) {
    if (!first || one.ready < *first) first = one.ready;
  }
  return first;
}

void Rank::rebase(Nanoseconds now) {
  for (Nanoseconds& free : tier_free_) free = 0;
  for (Seat& seat : seats_) seat.left -= now;
}

bool Rank::admit(Nanoseconds now, Slot slot, std::int64_t& budget, RankStep& step) {
  if (!let_in(now, slot, budget)) return false;
  LiveRequest& one = (*live_)[slot];
  if (one.arrives_computed) {
    one.computed = one.to_compute;
    one.arrives_computed = false;
    give_token(one, slot, step);  // seen when its first step here ends
    return true;
  }
  if (!fetching_.empty() && fetching_.back().slot == slot) return true;
  const std::int64_t now_computed = std::min<std::int64_t>(one.remaining(), budget);
  budget -= now_computed;
  if (!compute(one, slot, now_computed, step)) prefilling_.push_back(slot);
  return true;
}

/// Computes so many tokens of a prompt; whether that was the last of it.
bool Rank::compute(LiveRequest& one, Slot slot, std::int64_t tokens, RankStep& step) {
  step.work.add_prompt(tokens, one.computed);
  counts_.computed_tokens += tokens;
  one.computed += static_cast<std::int32_t>(tokens);
  if (one.remaining() > 0) return false;
  keep_chunks(one, one.request.prompt);
  give_token(one, slot, step);
  return true;
}

/// Its prompt is computed, here or elsewhere: it gets a token when the step ends, and goes on, or has all it asked for.
void Rank::give_token(const LiveRequest& one, Slot slot, RankStep& step) {
  step.first_tokens.push_back(slot);
  if (one.request.output - one.generated > 1 && !one.prefill_only) return join_decodes(slot);
  step.finished.push_back(slot);
  unlink(slot);
}

/// The chunks that so many computed tokens fill stay for others.
void Rank::keep_chunks(LiveRequest& one, std::int32_t tokens) {
  const std::int32_t named = named_chunks(one.request.shared, tokens);
  if (!rules_.prefix_cache || named <= one.held_chunks) return;
  cache_.keep(one.request.shared, one.held_chunks, named);
  one.own_blocks -= (named - one.held_chunks) * cache_.chunk_blocks(one.request.shared);
  one.held_chunks = named;
}

/// The blocks it has taken so far, with so many tokens in the cache.
void Rank::count_blocks(LiveRequest& one, std::int64_t tokens) const {
  if (rules_.admission == Admission::whole) return;  // all of them at the start
  one.own_blocks = cache_.blocks_for(tokens) - one.held_chunks * cache_.chunk_blocks(one.request.shared);
}

std::int32_t Rank::decode_steps(std::int32_t tokens) {
  if (speculation_.tokens == 0) return tokens;
  std::int32_t steps = 0;
  for (std::int32_t given = 0; given < tokens; ++steps) {
    ++given;  // the model's own; then the draft's, until one is wrong
    for (std::int32_t i = 0; i < speculation_.tokens && random_.share() <= speculation_.acceptance; ++i) ++given;
  }
  return steps;
}

void Rank::join_decodes(Slot slot) {
  LiveRequest& one = (*live_)[slot];
  const std::int32_t tokens = one.request.output - one.generated - 1;
  const std::int32_t steps = decode_steps(tokens);
  one.decoding = true;
  one.joined = decode_step_;
  one.ends = decode_step_ + steps - 1;
  one.pace = tokens * kPace / steps;
  one.output_pace = one.outputs_left / steps;
  ++decodes_;
  pace_ += one.pace;
  output_pace_ += one.output_pace;
  context_ += one.to_compute * kPace;
  plan_blocks(one, decode_step_, 1);
  Slot& last = ends_with(one.ends);
  one.sooner = kNoSlot;
  one.later = last;
  if (last != kNoSlot) (*live_)[last].sooner = slot;
  last = slot;
}

/// Writes into the calendar, or takes out of it, the blocks that a request will need in decode steps from `from` on.
void Rank::plan_blocks(const LiveRequest& one, std::int64_t from, std::int32_t sign) {
  if (one.pace == kPace) return count_even(one, sign);
  if (rules_.admission == Admission::whole) return;
  if (odd_blocks_.empty()) odd_blocks_.resize(ends_.size(), 0);
  const std::int64_t tokens = one.request.output - one.generated - 1;
  const std::int64_t last = cache_.blocks_for(one.to_compute + tokens);
  for (std::int64_t block = cache_.blocks_for(one.to_compute); block < last; ++block) {
    const std::int64_t needed = block * rules_.block_tokens - one.to_compute + 1;  // tokens after which it is in use
    const std::int64_t step = std::min(one.ends, one.joined + (needed * kPace + one.pace - 1) / one.pace - 1);
    if (step >= from) odd_blocks_[static_cast<std::size_t>(step) & (odd_blocks_.size() - 1)] += sign;
  }
}

/// Of a request that gets a token a step: until its last it needs a block each time that its context has filled one, so that
/// a count for each place in a block says as much as an entry for each of them.
void Rank::count_even(const LiveRequest& one, std::int32_t sign) {
  if (rules_.admission == Admission::whole) return;
  even_blocks(one.joined + rules_.block_tokens - one.to_compute % rules_.block_tokens) += sign;
}

void Rank::leave_calendar(LiveRequest& one) {
  plan_blocks(one, decode_step_, -1);
  (one.sooner == kNoSlot ? ends_with(one.ends) : (*live_)[one.sooner].later) = one.later;
  if (one.later != kNoSlot) (*live_)[one.later].sooner = one.sooner;
  one.sooner = one.later = kNoSlot;
}

/// Out of those that may be asked to leave; its seat is taken until its last step has ended.
void Rank::unlink(Slot slot) {
  LiveRequest& one = (*live_)[slot];
  (one.before == kNoSlot ? first_running_ : (*live_)[one.before].after) = one.after;
  (one.after == kNoSlot ? last_running_ : (*live_)[one.after].before) = one.before;
  one.before = one.after = kNoSlot;
}

void Rank::preempt(Slot slot) {
  assert(slot != kNoSlot && "one request alone always has room: the others were asked to leave");
  LiveRequest& one = (*live_)[slot];
  ++counts_.preemptions;
  ++one.outcome.preemptions;
  const std::int32_t in_cache = one.computed;
  if (one.decoding) {
    const std::int64_t steps = decode_step_ - one.joined;
    const auto decoded = static_cast<std::int32_t>(one.pace * steps / kPace);
    leave_calendar(one);
    leave_outputs(one, decode_step_);
    --decodes_;
    pace_ -= one.pace;
    context_ -= context_at(one, decode_step_);
    count_blocks(one, one.to_compute + decoded);
    counts_.lost_tokens += decoded;
    one.generated += 1 + decoded;
    one.decoding = false;
    preempted_.push_back(slot);
  } else if (const auto begun = std::find(prefilling_.begin(), prefilling_.end(), slot); begun != prefilling_.end()) {
    prefilling_.erase(begun);
  } else {
    std::erase_if(fetching_, [&](const Fetching& one_of) { return one_of.slot == slot; });
  }
  counts_.lost_tokens += in_cache;
  one.to_compute = one.request.prompt + one.generated;
  one.computed = 0;
  release(one);
  unlink(slot);
  --running_;
  waiting_.push_front(slot);
  output_share_ = rules_.output_estimate.first;
}

void Rank::release(LiveRequest& one) {
  cache_.give(one.own_blocks);
  cache_.release(one.request.shared, one.held_chunks);
  one.own_blocks = 0;
  one.held_chunks = 0;
  outputs_left_ -= one.outputs_left;
  one.outputs_left = 0;
}

/// A request that decodes no more: its part in what is still expected of all, before this step.
void Rank::leave_outputs(LiveRequest& one, std::int64_t step) {
  output_pace_ -= one.output_pace;
  one.outputs_left -= one.output_pace * (step - one.joined);
}

void Rank::complete(const RankStep& step, Nanoseconds now) {
  for (const Slot slot : preempted_) (*live_)[slot].last_token = now;
  preempted_.clear();
  counts_.decoded_tokens += step.work.decodes;
  for (const Slot slot : step.finished) {
    LiveRequest& one = (*live_)[slot];
    keep_chunks(one, one.request.prompt + one.request.output - 1);
    release(one);
    --running_;
    if (one.seat >= 0) seats_[static_cast<std::size_t>(one.seat)] = {kNoSlot, now + ++left_seats_};
  }
}

}  // namespace ridge::simulate
