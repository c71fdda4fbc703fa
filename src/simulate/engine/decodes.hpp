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
  Decodes(LiveRequests& live, std::int32_t longest_output, std::int32_t block_tokens);

  std::int64_t count() const { return count_; }
  std::int64_t context() const { return context_ / kPace; }  // tokens
  std::int64_t steps() const { return step_; }               // so far
  /// That the next step needs.
  std::int64_t blocks() const { return even_blocks() + odd_blocks(); }

  /// From the next step on, in so many steps.
  void join(Slot slot, std::int32_t steps);
  /// Before its end; the tokens it has got.
  std::int32_t leave(Slot slot);
  /// A step: those that end with it decode no more, and go behind `ended`.
  void advance(std::vector<Slot>& ended);
  /// Whether the next step surely ends none; then it may be a quiet one.
  bool ends_none() const { return step_ < next_end_ && odd_blocks_.empty(); }
  void advance_quietly() { step_on(); }

 private:
  static constexpr std::int64_t kNever = std::int64_t{1} << 62;
  std::size_t place(std::int64_t step) const { return static_cast<std::size_t>(step) & (ends_.size() - 1); }
  std::int64_t even_blocks() const { return even_blocks_.empty() ? 0 : even_blocks_[even_place_]; }
  /// The context grows by a step.
  void step_on() {
    context_ += pace_;
    ++step_;
    if (++even_place_ == even_blocks_.size()) even_place_ = 0;
  }
  void find_next_end();
  std::int64_t odd_blocks() const { return odd_blocks_.empty() ? 0 : odd_blocks_[place(step_)]; }
  std::int64_t context_at(const LiveRequest& one, std::int64_t step) const {
    return one.to_compute * kPace + one.pace * (step - one.joined);
  }
  void plan_blocks(const LiveRequest& one, std::int64_t from, std::int32_t sign);
  void count_even(const LiveRequest& one, std::int32_t sign);

  std::int64_t count_ = 0;
  std::int64_t context_ = 0;  // 1/1024 tokens
  std::int64_t pace_ = 0;     // what a step adds to it
  std::int64_t step_ = 0;
  std::int64_t next_end_ = kNever;  // no step before it ends any
  // The calendar: small, for every step of every rank looks into it.
  std::size_t even_place_ = 0;             // of the next step in the following
  std::vector<std::int32_t> even_blocks_;  // of a step, by its number modulo a block's tokens: for a token a step
  std::vector<std::int64_t> odd_blocks_;   // for others, none until there is one
  std::vector<Slot> ends_;                 // the first of those that end with a step
  LiveRequests* live_;
  std::int32_t block_tokens_;
};

}  // namespace ridge::simulate
