#pragma once
// Which knob matters: for every input, the percent by which each figure moves when the input moves by one percent.

#include <array>
#include <string>
#include <vector>

#include "roofline/scenario.hpp"

namespace ridge {

/// d ln(output) / d ln(input). Inputs that are one physical number (an fp8 peak used twice) move together.
struct Sensitivity {
  std::string input;                 // "hbm.bandwidth", "matmul.fp8"
  std::vector<std::size_t> indices;  // the inputs it stands for
  std::array<double, kDecodeOutputs> elasticity{};
  std::array<bool, kDecodeOutputs> defined{};  // false where the figure itself does not exist
  /// True where two resources are tied at this point: the elasticity is then the one towards larger inputs.
  std::array<bool, kDecodeOutputs> kink{};
};

std::vector<Sensitivity> sensitivities(const ResolvedCase& resolved);

}  // namespace ridge
