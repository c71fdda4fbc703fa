#pragma once
// Requests that run and may be asked to leave, in the order in which they were admitted: a list through their slots, so
// that joining and leaving cost the same however many there are.

#include "simulate/engine/live_request.hpp"

namespace ridge::simulate {

class RunningList {
 public:
  explicit RunningList(LiveRequests& live) : live_(&live) {}

  void add(Slot slot) {
    LiveRequest& one = (*live_)[slot];
    one.before = last_;
    one.after = kNoSlot;
    if (last_ != kNoSlot) (*live_)[last_].after = slot;
    last_ = slot;
  }
  void remove(Slot slot) {
    LiveRequest& one = (*live_)[slot];
    if (one.before != kNoSlot) (*live_)[one.before].after = one.after;
    (one.after == kNoSlot ? last_ : (*live_)[one.after].before) = one.before;
    one.before = one.after = kNoSlot;
  }
  /// The newest; kNoSlot where none runs.
  Slot last() const { return last_; }

 private:
  LiveRequests* live_;
  Slot last_ = kNoSlot;
};

}  // namespace ridge::simulate
