#pragma once
// What computing a prompt takes of the chips that do it, taken apart.

#include "serve/serving.hpp"

namespace ridge {

/// Of one prompt. Where prompts are computed between the steps of others, all of it is what those steps take longer:
/// weights that are read anyway cost nothing more.
struct PrefillParts {
  Seconds<double> compute{}, weights{}, context{};  // each alone, at datasheet peaks
  Seconds<double> kernels{};                        // calibrated, without the wire
  Seconds<double> engine{};                         // around the kernels, and what the engine makes of their time
  Seconds<double> total{};                          // times.prefill_time of the answer
  Seconds<double> idle{};                           // chips that wait for the next prompt, where they do nothing else
};

/// Of an answer of answer_serving with the same library.
Result<PrefillParts> prefill_parts(const ServingAnswer& answer, const Library& library);

}  // namespace ridge
