#pragma once
// Requests that wait for a scheduler: those it has not looked at yet, and those it has, of which one is next.

#include <cstdint>
#include <deque>

#include "simulate/engine/kv_cache.hpp"
#include "simulate/engine/live_request.hpp"
#include "simulate/engine/scheduler.hpp"

namespace ridge::simulate {

class RequestQueue {
 public:
  RequestQueue(QueueOrder order, std::int32_t poll_steps, const LiveRequests& live)
      : order_(order), poll_steps_(poll_steps), live_(&live) {}

  /// It has come in, and nobody has looked yet.
  void put(Slot slot) {
    ++size_;
    inbox_.push_back(slot);
  }
  /// It ran, and is first again.
  void put_back(Slot slot) {
    ++size_;
    waiting_.push_front(slot);
  }
  /// It ran, and comes after all that were looked at.
  void put_last(Slot slot) {
    ++size_;
    waiting_.push_back(slot);
  }

  /// An engine that looks only after so many decode steps looks at once after prompts, and when it has nothing to do.
  void look(bool decodes);
  void decoded() { ++since_look_; }
  /// The same for a step of decodes, where nobody is there.
  void decoded_alone() { since_look_ = since_look_ < poll_steps_ ? since_look_ + 1 : 1; }
  void prefilled() { since_look_ = poll_steps_; }

  /// Of those looked at.
  bool any() const { return !waiting_.empty(); }
  Slot first() const { return waiting_.front(); }
  /// The next by the queue's order, which is first from now on.
  Slot next(const KvCache& cache);
  void take_first() {
    --size_;
    waiting_.pop_front();
  }

  std::int64_t size() const { return size_; }

 private:
  std::int64_t size_ = 0;
  QueueOrder order_;
  std::int32_t poll_steps_, since_look_ = 0;
  const LiveRequests* live_;
  std::deque<Slot> inbox_, waiting_;
};

}  // namespace ridge::simulate
