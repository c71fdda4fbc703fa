#include "simulate/engine/decodes.hpp"

#include <algorithm>
#include <bit>

namespace ridge::simulate {

Decodes::Decodes(LiveRequests& live, std::int32_t longest_output, std::int32_t block_tokens, bool speculates)
    : live_(&live),
      block_tokens_(block_tokens),
      one_each_(block_tokens == 1 && !speculates),
      days_(std::bit_ceil(static_cast<std::size_t>(longest_output) + 2)) {}

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
  Day& last = day(one.ends);
  one.sooner = kNoSlot;
  one.later = last.first;
  if (last.first != kNoSlot) (*live_)[last.first].sooner = slot;
  last.first = slot;
}

std::int32_t Decodes::leave(Slot slot) {
  LiveRequest& one = (*live_)[slot];
  plan_blocks(one, step_, -1);
  Day& last = day(one.ends);
  (one.sooner == kNoSlot ? last.first : (*live_)[one.sooner].later) = one.later;
  if (one.later != kNoSlot) (*live_)[one.later].sooner = one.sooner;
  one.sooner = one.later = kNoSlot;
  one.decoding = false;
  --count_;
  pace_ -= one.pace;
  context_ -= context_at(one, step_);
  return static_cast<std::int32_t>(one.pace * (step_ - one.joined) / kPace);
}

void Decodes::advance(std::vector<Slot>& ended) {
  Day& today = day(step_);
  today.blocks = 0;
  context_ += pace_;
  ++step_;
  for (Slot slot = today.first; slot != kNoSlot;) {
    LiveRequest& one = (*live_)[slot];
    const Slot next = one.later;
    ended.push_back(slot);
    --count_;
    pace_ -= one.pace;
    context_ -= context_at(one, step_);
    one.sooner = one.later = kNoSlot;
    one.decoding = false;
    slot = next;
  }
  today.first = kNoSlot;
}

/// Writes into the calendar, or takes out of it, the blocks that a request will need in steps from `from` on.
void Decodes::plan_blocks(const LiveRequest& one, std::int64_t from, std::int64_t sign) {
  if (block_tokens_ == 0 || one_each_) return;
  const std::int64_t here = one.to_compute, last = here + one.tokens_to_decode();
  // tokens that fill the blocks it has, and those after which the next one is in use
  for (std::int64_t full = (here + block_tokens_ - 1) / block_tokens_ * block_tokens_; full < last;
       full += block_tokens_) {
    const std::int64_t needed = full - here + 1;
    const std::int64_t steps = one.pace == kPace ? needed : (needed * kPace + one.pace - 1) / one.pace;
    const std::int64_t step = std::min(one.ends, one.joined + steps - 1);
    if (step >= from) day(step).blocks += sign;
  }
}

}  // namespace ridge::simulate
