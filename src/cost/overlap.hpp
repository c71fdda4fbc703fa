#pragma once
// What of a step's network hides behind its kernels.

#include <string_view>

namespace ridge {

/// What of a step hides behind the rest: never assumed, always said.
enum class Overlap {
  none,  // one operation after another
  two,   // two micro-batches: one computes while the other is on the wire
  full,  // all of the wire behind all of the rest
};

constexpr std::string_view name_of(Overlap overlap) {
  return overlap == Overlap::none ? "none" : overlap == Overlap::two ? "two-batch" : "full";
}

}  // namespace ridge
