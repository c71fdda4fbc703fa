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
  void put(Slot slot) { inbox_.push_back(slot); }
  /// It ran, and is first again.
  void put_back(Slot slot) { waiting_.push_front(slot); }
  /// It ran, and comes after all that were looked at.
  void put_last(Slot slot) { waiting_.push_back(slot); }

  /// An engine that looks only after so many decode steps looks at once after prompts, and when it has nothing to do.
  void look(bool decodes);
  void decoded() { ++since_look_; }
  void prefilled() { since_look_ = poll_steps_; }

  /// Of those looked at.
  bool any() const { return !waiting_.empty(); }
  Slot first() const { return waiting_.front(); }
  /// The next by the queue's order, which is first from now on.
  Slot next(const KvCache& cache);
  void take_first() { waiting_.pop_front(); }

  std::int64_t size() const { return static_cast<std::int64_t>(waiting_.size() + inbox_.size()); }

 private:
  QueueOrder order_;
  std::int32_t poll_steps_, since_look_ = 0;
  const LiveRequests* live_;
  std::deque<Slot> inbox_, waiting_;
};

}  // namespace ridge::simulate
