#pragma once
// What will happen in a run, in order.

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "simulate/clock.hpp"

namespace ridge::simulate {

enum class What : std::uint8_t { sends, leaves_client, arrives, moved, starts, step_ends, fails, returns };

struct Event {
  Nanoseconds at;
  std::uint64_t order;  // among those of one moment
  What what;
  std::int32_t replica;  // or -1: not yet chosen
  std::int32_t which;    // a slot, a micro-batch, or an outage (-1: one at random)
  std::uint32_t life;    // of the replica when it was made: one that failed since has forgotten it

  bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  bool is_of_failures() const { return what == What::fails || what == What::returns; }
  /// It happens whatever became of the replica since.
  bool outlives() const { return what == What::returns || (what == What::fails && which >= 0); }
};

class Events {
 public:
  /// Ties go to the older; but at one moment all that arrives is there before an idle engine starts.
  void add(Nanoseconds at, What what, std::int32_t replica, std::int32_t which, std::uint32_t life) {
    constexpr std::uint64_t kAfterAll = std::uint64_t{1} << 63;
    waiting_.push({at, order_++ | (what == What::starts ? kAfterAll : 0), what, replica, which, life});
  }
  bool any() const { return !waiting_.empty(); }
  Event take() {
    const Event event = waiting_.top();
    waiting_.pop();
    return event;
  }

 private:
  std::priority_queue<Event, std::vector<Event>, std::greater<>> waiting_;
  std::uint64_t order_ = 0;
};

}  // namespace ridge::simulate
