#pragma once
// A number format: how large a value is, and which matrix peak of a chip it computes at.

#include <string>

#include "base/provenance.hpp"
#include "base/units.hpp"

namespace ridge {

struct Format {
  std::string name, title;
  Sourced<BytesPerParam<double>> bytes;  // scales included
  std::string computes_as;               // key of Chip::matmul
  std::string falls_back;                // key tried on a chip without it; empty: none
};

}  // namespace ridge
