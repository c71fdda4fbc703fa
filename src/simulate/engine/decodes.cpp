#include "simulate/engine/decodes.hpp"

#include <algorithm>
#include <bit>

namespace ridge::simulate {

Decodes::Decodes(LiveRequests& live, std::int32_t longest_output, std::int32_t block_tokens)
    : even_blocks_(static_cast<std::size_t>(block_tokens), 0),
      ends_(std::bit_ceil(static_cast<std::size_t>(longest_output) + 2), kNoSlot),
      live_(&live),
      block_tokens_(block_tokens) {}

void Decodes::join(Slot slot, std::int32_t steps) {
  LiveRequest& one = (*live_)[slot];
  one.decoding = true;
  one.joined = step_;
  one.ends = step_ + steps - 1;
  one.pace = one.tokens_to_decode() * kPace / steps;
  ++count_;
  pace_ += one.pace;
  context_ += one.to_compute * kPace;
  plan_blocks(one, step_, 1);
  next_end_ = std::min(next_end_, one.ends);
  Slot& last = ends_[place(one.ends)];
  one.sooner = kNoSlot;
  one.later = last;
  if (last != kNoSlot) (*live_)[last].sooner = slot;
  last = slot;
}

std::int32_t Decodes::leave(Slot slot) {
  LiveRequest& one = (*live_)[slot];
  plan_blocks(one, step_, -1);
  (one.sooner == kNoSlot ? ends_[place(one.ends)] : (*live_)[one.sooner].later) = one.later;
  if (one.later != kNoSlot) (*live_)[one.later].sooner = one.sooner;
  one.sooner = one.later = kNoSlot;
  one.decoding = false;
  --count_;
  pace_ -= one.pace;
  context_ -= context_at(one, step_);
  return static_cast<std::int32_t>(one.pace * (step_ - one.joined) / kPace);
}

void Decodes::advance(std::vector<Slot>& ended) {
  if (!odd_blocks_.empty()) odd_blocks_[place(step_)] = 0;
  if (step_ < next_end_) return step_on();
  Slot& ending = ends_[place(step_)];
  step_on();
  for (Slot slot = ending; slot != kNoSlot;) {
    LiveRequest& one = (*live_)[slot];
    const Slot next = one.later;
    ended.push_back(slot);
    --count_;
    pace_ -= one.pace;
    context_ -= context_at(one, step_);
    if (one.pace == kPace) count_even(one, -1);
    one.sooner = one.later = kNoSlot;
    one.decoding = false;
    slot = next;
  }
  ending = kNoSlot;
  find_next_end();
}

void Decodes::find_next_end() {
  next_end_ = kNever;
  if (count_ == 0) return;
  for (next_end_ = step_; ends_[place(next_end_)] == kNoSlot;) ++next_end_;
}

/// Writes into the calendar, or takes out of it, the blocks that a request will need in steps from `from` on.
void Decodes::plan_blocks(const LiveRequest& one, std::int64_t from, std::int32_t sign) {
  if (one.pace == kPace) return count_even(one, sign);
  if (block_tokens_ == 0) return;
  if (odd_blocks_.empty()) odd_blocks_.resize(ends_.size(), 0);
  const std::int64_t here = one.to_compute, last = here + one.tokens_to_decode();
  // tokens that fill the blocks it has, and those after which the next one is in use
  for (std::int64_t full = (here + block_tokens_ - 1) / block_tokens_ * block_tokens_; full < last;
       full += block_tokens_) {
    const std::int64_t needed = full - here + 1;
    const std::int64_t step = std::min(one.ends, one.joined + (needed * kPace + one.pace - 1) / one.pace - 1);
    if (step >= from) odd_blocks_[place(step)] += sign;
  }
}

/// Of a request that gets a token a step: until its last it needs a block each time that its context has filled one, so
/// that a count for each place in a block says as much as an entry for each of them.
void Decodes::count_even(const LiveRequest& one, std::int32_t sign) {
  if (block_tokens_ == 0) return;
  const std::int64_t step = one.joined + block_tokens_ - one.to_compute % block_tokens_;
  even_blocks_[static_cast<std::size_t>(step % block_tokens_)] += sign;
}

}  // namespace ridge::simulate
