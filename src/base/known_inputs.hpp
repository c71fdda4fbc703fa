#pragma once
// A case's inputs while they are gathered from several places, each with where it is from.

#include <array>
#include <cstddef>
#include <vector>

#include "base/provenance.hpp"

namespace ridge {

/// A number for one input of a case.
struct KnownInput {
  std::size_t index = 0;
  double value = 0.0;
  Provenance from;
};

/// What is known of all inputs; of several numbers for one input the last counts.
template <std::size_t N>
struct KnownInputs {
  std::array<double, N> values{};
  std::array<Provenance, N> from;
  std::array<bool, N> known{};

  void take(const KnownInput& one) {
    values[one.index] = one.value;
    from[one.index] = one.from;
    known[one.index] = true;
  }
  void take(const std::vector<KnownInput>& all) {
    for (const KnownInput& one : all) take(one);
  }
};

}  // namespace ridge
