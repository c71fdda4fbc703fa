#pragma once
// Requests that decode: a count, a sum of contexts, and a calendar of the decode steps that end them or need another
// block for them. A step costs what it changes, not what runs.

#include <cstdint>
#include <vector>

#include "simulate/engine/live_request.hpp"

namespace ridge::simulate {

class Decodes {
 public:
  /// `block_tokens` of the KV cache; 0: outputs have theirs from the beginning.
  Decodes(LiveRequests& live, std::int32_t longest_output, std::int32_t block_tokens, bool speculates);

  std::int64_t count() const { return count_; }
  std::int64_t context() const { return context_ / kPace; }  // tokens
  std::int64_t steps() const { return step_; }               // so far
  /// That the next step needs.
  std::int64_t blocks() const { return one_each_ ? count_ : days_[place(step_)].blocks; }

  /// From the next step on, in so many steps.
  void join(Slot slot, std::int32_t steps);
  /// Before its end; the tokens it has got.
  std::int32_t leave(Slot slot);
  /// A step: those that end with it decode no more, and go behind `ended`.
  void advance(std::vector<Slot>& ended);

 private:
  struct Day {                // one decode step
    Slot first = kNoSlot;     // that ends with it
    std::int64_t blocks = 0;  // needed by those that decode in it
  };
  std::size_t place(std::int64_t step) const { return static_cast<std::size_t>(step) & (days_.size() - 1); }
  Day& day(std::int64_t step) { return days_[place(step)]; }
  std::int64_t context_at(const LiveRequest& one, std::int64_t step) const {
    return one.to_compute * kPace + one.pace * (step - one.joined);
  }
  void plan_blocks(const LiveRequest& one, std::int64_t from, std::int64_t sign);

  LiveRequests* live_;
  std::int32_t block_tokens_;
  bool one_each_;  // blocks of a token: each request needs one in every step, and the calendar none
  std::int64_t count_ = 0;
  std::int64_t context_ = 0;  // 1/1024 tokens
  std::int64_t pace_ = 0;     // what a step adds to it
  std::int64_t step_ = 0;
  std::vector<Day> days_;
};

}  // namespace ridge::simulate
