#pragma once
// Speculative tokens: how many decode steps an output takes.

#include <cstdint>

#include "simulate/client/random.hpp"

namespace ridge::simulate {

/// Speculative tokens, and the chance that each is accepted once those before it were.
struct Speculation {
  std::int32_t tokens = 0;
  double acceptance = 0;

  /// Steps until a request has so many tokens: each gives the model's own, and of the draft's those before a wrong one.
  std::int32_t steps_for(std::int32_t wanted, Random& random) const {
    if (tokens == 0) return wanted;
    std::int32_t steps = 0;
    for (std::int32_t given = 0; given < wanted; ++steps) {
      ++given;
      for (std::int32_t i = 0; i < tokens && random.share() <= acceptance; ++i) ++given;
    }
    return steps;
  }
};

}  // namespace ridge::simulate
