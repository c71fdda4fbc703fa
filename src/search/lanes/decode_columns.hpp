#pragma once
// Many decode cases at once, over SIMD lanes as wide as this machine has.

#include <array>
#include <vector>

#include "roofline/decode.hpp"
#include "search/lanes/instruction_set.hpp"

namespace ridge {

/// An input and its value in each case.
struct Axis {
  std::size_t input = 0;  // in visit_inputs
  std::vector<double> values;
};

/// One column per output, one row per case.
using Columns = std::array<std::vector<double>, kDecodeOutputs>;

/// Evaluates the case at every position of the axes, which have equal lengths (they move together).
Columns sweep_decode(const DecodeCase<double>& c, const std::vector<Axis>& axes, InstructionSet set);

/// The same into columns that are there already: a sweep in pieces allocates once. Columns of length zero stay empty, so
/// that a caller pays only for the outputs it wants.
void sweep_into(Columns& columns, const DecodeCase<double>& c, const std::vector<Axis>& axes, InstructionSet set);

}  // namespace ridge
