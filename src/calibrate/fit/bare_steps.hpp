#pragma once
// Runs that measured decoding or prompts alone, over many chips: DeepSeek's production day and its profile, SGLang's
// wide expert parallelism. Predicted from their layouts, never fitted.

#include <optional>

#include "calibrate/fit/calibrate.hpp"

namespace ridge {

struct BareStep {
  const ServingRow* row = nullptr;
  double measured = 0, predicted = 0;  // tokens/s a chip
  double alone = 0;                    // the same with nothing overlapped
};

/// Nothing for rows of another kind. All of these systems run two micro-batches, one on the wire while the other computes.
std::optional<BareStep> bare_step(const ServingRow& row, const Library& library);

}  // namespace ridge
