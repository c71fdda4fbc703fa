#pragma once
// Programs of which little is known: their few constants are fitted to one half of their rows and judged on the other,
// and the other way round.

#include "calibrate/validate.hpp"

namespace ridge {

/// Whole steps of a plain PyTorch program, and static batches of old engines.
Result<std::vector<ValidationLine>> judge_by_halves(const Evidence& evidence, const Library& library);

}  // namespace ridge
