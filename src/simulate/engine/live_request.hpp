#pragma once
// Requests that are on their way: their slots are used again, so that memory does not grow with a run.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/client/request.hpp"

namespace ridge::simulate {

using Slot = std::int32_t;
inline constexpr Slot kNoSlot = -1;

inline constexpr std::int64_t kPace = 1024;  // a token: what a request gains in a step need not be whole

struct LiveRequest {
  Request request;
  RequestOutcome outcome;
  std::int32_t to_compute = 0;  // the prompt; after a preemption also what had been generated
  std::int32_t computed = 0;    // of it, so far
  std::int32_t generated = 0;   // before the last preemption
  std::int32_t held_chunks = 0;
  std::int64_t own_blocks = 0;
  // While it decodes: the decode step it joined at, the one that gives its last token, and 1/1024 tokens in each.
  std::int64_t joined = 0, ends = 0, pace = 0;
  std::int64_t outputs_left = 0,
               output_pace = 0;            // 1/1024 tokens it may still generate, clipped; and less in each step
  Nanoseconds last_token = -1;             // where a preemption came between, else not kept
  Slot before = kNoSlot, after = kNoSlot;  // among running requests, by admission
  Slot sooner = kNoSlot, later = kNoSlot;  // among those that end with the same step
  std::int32_t seat = -1;                  // where an engine has numbered ones
  bool decoding = false;
  bool prefill_only = false;      // another pool decodes it
  bool arrives_computed = false;  // another pool computed its prompt
  bool is_live = false;           // the slot is in use

  std::int32_t remaining() const { return to_compute - computed; }
  /// That decode steps give: all but the one that prefill gives.
  std::int32_t tokens_to_decode() const { return request.output - generated - 1; }
};

class LiveRequests {
 public:
  LiveRequest& operator[](Slot slot) { return at_index(static_cast<std::size_t>(slot)); }
  const LiveRequest& operator[](Slot slot) const { return at_index(static_cast<std::size_t>(slot)); }

  Slot add(Request request) {
    Slot slot = static_cast<Slot>(slots_);
    if (spare_.empty()) {
      if (slots_++ % kRow == 0) rows_.push_back(std::make_unique<LiveRequest[]>(kRow));
    } else {
      slot = spare_.back();
      spare_.pop_back();
    }
    begin((*this)[slot], std::move(request), 0);
    return slot;
  }
  /// As though nothing of it had been done; its times still run from its first sending.
  void restart(Slot slot) {
    LiveRequest& live = (*this)[slot];
    begin(live, std::move(live.request), live.outcome.retries + 1);
  }
  void remove(Slot slot) {
    (*this)[slot].is_live = false;
    spare_.push_back(slot);
  }
  /// Those at a replica, or on their way to it, in the order in which they were made.
  std::vector<Slot> at(std::int32_t replica) const {
    std::vector<Slot> found;
    for (std::size_t i = 0; i < slots_; ++i) {
      if (at_index(i).is_live && at_index(i).outcome.replica == replica) found.push_back(static_cast<Slot>(i));
    }
    std::sort(found.begin(), found.end(),
              [&](Slot one, Slot other) { return (*this)[one].request.number < (*this)[other].request.number; });
    return found;
  }
  std::size_t count() const { return slots_ - spare_.size(); }

 private:
  static constexpr std::size_t kRow = 256;  // of slots that stay where they are while others are added
  LiveRequest& at_index(std::size_t index) const { return rows_[index / kRow][index % kRow]; }

  static void begin(LiveRequest& live, Request request, std::int32_t retries) {
    live = LiveRequest{};
    live.is_live = true;
    live.to_compute = request.prompt;
    live.outcome.number = request.number;
    live.outcome.sent = request.sent;
    live.outcome.prompt = request.prompt;
    live.outcome.output = request.output;
    live.outcome.admitted = -1;
    live.outcome.replica = -1;
    live.outcome.retries = retries;
    live.request = std::move(request);
  }

  std::vector<std::unique_ptr<LiveRequest[]>> rows_;
  std::size_t slots_ = 0;
  std::vector<Slot> spare_;
};

}  // namespace ridge::simulate
