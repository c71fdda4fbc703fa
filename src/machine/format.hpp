#pragma once
// A number format: how large a value is, and which matrix peak of a chip it computes at.

#include <optional>
#include <string>

#include "base/number/units.hpp"
#include "base/provenance.hpp"

namespace ridge {

/// What a name such as Q4_K_M stands for, by kind of tensor; names of formats.
struct WeightMix {
  std::string rest, head, embedding;
  std::string better;   // of value and down projections in some layers (library/weight_mix.hpp); empty: as the rest
  std::string experts;  // of routed experts; empty: as the rest
};

struct Format {
  std::string name, title;
  Sourced<BytesPerParam<double>> bytes;  // scales included
  std::string computes_as;               // key of Chip::matmul
  std::string falls_back;                // key tried on a chip without it; empty: none
  std::optional<WeightMix> mix;          // of a GGUF file of this name
};

}  // namespace ridge
