// Who runs on a rank, and what of its KV cache each holds.

#include <algorithm>
#include <cassert>

#include "simulate/engine/rank.hpp"

namespace ridge::simulate {

Rank::Place Rank::place_of(Nanoseconds now, const LiveRequest& one, std::int64_t budget) const {
  const SharedChunks& shared = one.request.shared;
  const std::int32_t most = shared.before_last(one.to_compute);
  Place place;
  if (!one.arrives_computed) place.hits = cache_.found(shared, most);
  if (!one.arrives_computed && cache_.below().any()) place.wanted = reads_.worth(now, cache_, shared, place.hits, most);
  place.cached = (place.hits + place.wanted.chunks) * shared.tokens;
  const bool whole = rules_.admission == Admission::whole && !one.prefill_only;
  const std::int64_t longest = whole ? std::int64_t{one.request.prompt} + one.request.output : one.to_compute;
  place.blocks = cache_.blocks_for(longest) - place.hits * cache_.chunk_blocks(shared);
  place.fits_the_step = one.arrives_computed || rules_.chunked_prefill || one.to_compute - place.cached <= budget;
  return place;
}

/// Asked where the chunks that are there are held already: or what is to be kept for it might be counted as free.
bool Rank::has_room(const LiveRequest& one, const Place& place) const {
  if (cache_.free() < place.blocks) return false;
  if (!estimates() || running_ == 0 || one.prefill_only) return true;
  const std::int64_t left = (cache_.free() - place.blocks) * rules_.block_tokens;
  return static_cast<double>(left) > outputs_.with(one);
}

/// Its place in the KV cache and among those that run, where there is one.
bool Rank::let_in(Nanoseconds now, Slot slot, std::int64_t budget) {
  LiveRequest& one = (*live_)[slot];
  const Place place = place_of(now, one, budget);
  if (!place.fits_the_step) return false;
  cache_.hold(one.request.shared, place.hits);
  if (!has_room(one, place)) {
    cache_.release(one.request.shared, place.hits);
    full_ = estimates() && running_ > 0;
    return false;
  }
  cache_.take(place.blocks);
  one.own_blocks = place.blocks;
  one.held_chunks = place.hits;
  one.computed = place.cached;
  if (one.outcome.admitted < 0) {
    one.outcome.admitted = now;
    one.outcome.cached = place.cached;
    counts_.prompt_tokens += one.to_compute;
    counts_.cached_tokens += place.cached;
    counts_.fetched_tokens += place.wanted.chunks * one.request.shared.tokens;
  }
  if (place.wanted.chunks > 0) reads_.begin(now, slot, place.wanted);
  ++running_;
  outputs_.admit(one);
  list_.add(slot);
  return true;
}

bool Rank::admit(Nanoseconds now, Slot slot, std::int64_t& budget, RankStep& step) {
  if (!let_in(now, slot, budget)) return false;
  LiveRequest& one = (*live_)[slot];
  if (one.arrives_computed) {
    one.computed = one.to_compute;
    one.arrives_computed = false;
    give_token(slot, step);  // seen when its first step here ends
    return true;
  }
  if (reads_.waits(slot)) return true;
  const std::int64_t tokens = std::min<std::int64_t>(one.remaining(), budget);
  budget -= tokens;
  if (!compute(slot, tokens, step)) begun_.push_back(slot);
  return true;
}

/// Requests whose prompts another pool computed join at once.
void Rank::admit_computed(Nanoseconds now, RankStep& step) {
  std::int64_t unlimited = rules_.token_budget;
  while (queue_.any() && (*live_)[queue_.first()].arrives_computed && running_ < rules_.max_sequences) {
    if (!admit(now, queue_.first(), unlimited, step)) break;
    queue_.take_first();
  }
}

void Rank::admit_waiting(Nanoseconds now, RankStep& step, std::int64_t& budget) {
  if (estimates() && queue_.any() && running_ >= rules_.max_sequences) full_ = true;
  if (full_) return;
  while (queue_.any() && budget > 0 && running_ < rules_.max_sequences && begun_.empty()) {
    if (!admit(now, queue_.next(cache_), budget, step)) break;
    queue_.take_first();
  }
}

/// For the next step of decodes. Preempting a request takes its needs out of the calendar too.
void Rank::make_room() {
  if (cache_.free() >= decodes_.blocks()) return;
  while (cache_.free() < decodes_.blocks()) preempt(leaves_first());
  if (estimates()) correct_estimate();
}

/// Of a request that decodes, so far.
std::int32_t Rank::generated(const LiveRequest& one) const {
  return one.generated + 1 + static_cast<std::int32_t>(one.pace * (decodes_.steps() - one.joined) / kPace);
}

/// The newest; where outputs are estimated the one that decodes with the shortest output, of those alike the one with the
/// longest prompt, of those the newest.
Slot Rank::leaves_first() const {
  if (!estimates()) return list_.last();
  Slot best = kNoSlot;
  const auto before = [this](const LiveRequest& one, const LiveRequest& other) {
    const std::int32_t here = generated(one), there = generated(other);
    return here != there ? here < there : one.request.prompt > other.request.prompt;
  };
  for (Slot slot = list_.last(); slot != kNoSlot; slot = (*live_)[slot].before) {
    const LiveRequest& one = (*live_)[slot];
    if (one.decoding && (best == kNoSlot || before(one, (*live_)[best]))) best = slot;
  }
  return best == kNoSlot || decodes_.count() == 1 ? list_.last() : best;
}

/// By what those that stay have generated.
void Rank::correct_estimate() {
  std::int64_t requests = 0, tokens = 0, outputs = 0;
  for (Slot slot = list_.last(); slot != kNoSlot; slot = (*live_)[slot].before) {
    const LiveRequest& one = (*live_)[slot];
    if (!one.decoding) continue;
    ++requests;
    tokens += generated(one);
    outputs += one.request.output;
  }
  outputs_.correct(requests, tokens, outputs);
  full_ = false;
}

void Rank::preempt(Slot slot) {
  assert(slot != kNoSlot && "one request alone always has room: the others were asked to leave");
  LiveRequest& one = (*live_)[slot];
  ++counts_.preemptions;
  ++one.outcome.preemptions;
  counts_.lost_tokens += one.computed;
  if (one.decoding) {
    const std::int32_t decoded = decodes_.leave(slot);
    outputs_.leave(one, decodes_.steps());
    count_blocks(one, one.to_compute + decoded);
    counts_.lost_tokens += decoded;
    one.generated += 1 + decoded;
    preempted_.push_back(slot);
  } else if (const auto begun = std::find(begun_.begin(), begun_.end(), slot); begun != begun_.end()) {
    begun_.erase(begun);
  } else {
    reads_.drop(slot);
  }
  one.to_compute = one.request.prompt + one.generated;
  one.computed = 0;
  release(one);
  list_.remove(slot);
  --running_;
  estimates() ? queue_.put_last(slot) : queue_.put_back(slot);
}

/// The chunks that so many computed tokens fill stay for others.
void Rank::keep_chunks(LiveRequest& one, std::int32_t tokens) {
  const std::int32_t named = one.request.shared.filled_by(tokens);
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

void Rank::release(LiveRequest& one) {
  cache_.give(one.own_blocks);
  cache_.release(one.request.shared, one.held_chunks);
  one.own_blocks = 0;
  one.held_chunks = 0;
  outputs_.release(one);
}

}  // namespace ridge::simulate
