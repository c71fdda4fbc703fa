#include "simulate/engine/seats.hpp"

namespace ridge::simulate {

std::int32_t Seats::free() const {
  std::int32_t best = -1;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].who != kNoSlot) continue;
    if (best < 0 || seats_[i].left <= seats_[static_cast<std::size_t>(best)].left) best = static_cast<std::int32_t>(i);
  }
  return best;
}

std::int64_t Seats::side_by_side(const LiveRequests& live) const {
  std::int64_t rows = 0;
  bool inside = false;
  for (const Seat& seat : seats_) {
    const bool decodes = seat.who != kNoSlot && live[seat.who].decoding;
    if (decodes && !inside) ++rows;
    inside = decodes;
  }
  return rows;
}

}  // namespace ridge::simulate
