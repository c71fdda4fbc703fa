#pragma once
// Numbered places for requests (llama.cpp's slots): neighbors decode together, and a free one is the one unused for
// longest.

#include <cstdint>
#include <vector>

#include "simulate/client/random.hpp"
#include "simulate/engine/live_request.hpp"

namespace ridge::simulate {

class Seats {
 public:
  /// Of a server that has run for a while: seats were left in any order.
  Seats(std::int64_t count, Random& random) : seats_(static_cast<std::size_t>(count)) {
    for (Seat& seat : seats_) seat.left = -random.whole(1, std::int64_t{1} << 31);
  }

  /// The one unused for longest, of those alike the last; -1: none is free.
  std::int32_t free() const;
  void take(std::int32_t seat, Slot slot) { seats_[static_cast<std::size_t>(seat)].who = slot; }
  /// Seats left at the same moment have an order.
  void leave(std::int32_t seat, Nanoseconds now) { seats_[static_cast<std::size_t>(seat)] = {kNoSlot, now + ++left_}; }
  /// Rows of seats side by side whose requests decode.
  std::int64_t side_by_side(const LiveRequests& live) const;
  /// The clock starts again: now is 0.
  void rebase(Nanoseconds now) {
    for (Seat& seat : seats_) seat.left -= now;
  }

 private:
  struct Seat {
    Slot who = kNoSlot;
    Nanoseconds left = 0;  // when its last request ended
  };
  std::vector<Seat> seats_;
  std::int64_t left_ = 0;  // so far
};

}  // namespace ridge::simulate
