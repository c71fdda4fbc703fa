#pragma once
// Programs of which little is known: their few constants are fitted to one half of their rows and judged on the other,
// and the other way round.

#include "calibrate/judge/validate.hpp"

namespace ridge {

struct ByHalves {
  std::vector<ValidationLine> lines;
  std::vector<JudgedPoint> prompts;  // whole prefill steps, each by the fit to the other half
};

/// Whole steps of a plain PyTorch program, and static batches of old engines.
Result<ByHalves> judge_by_halves(const Evidence& evidence, const Library& library);

}  // namespace ridge
