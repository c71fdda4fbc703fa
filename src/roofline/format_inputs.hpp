#pragma once
// The formats that a model is held and computed in on a chip, and the inputs of a case that follow from them.

#include "base/known_inputs.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

/// What was released, where the scenario does not choose.
Precisions chosen_precisions(const Scenario& scenario, const Precisions& released);

/// A chip's matrix peak for a format; a chip without such units computes in the next wider format that it has.
struct MatrixPeak {
  std::string format;              // it computes in
  std::vector<std::string> tried;  // that it has no units for
  std::optional<Sourced<FlopsPerSecond<double>>> rate;
};
MatrixPeak matrix_peak(const Chip& chip, const Format& wanted, const std::vector<Format>& formats);

struct FormatInputs {
  Precisions precision;
  std::array<std::string, 3> matmul_format;  // of weights, experts, attention
  std::vector<KnownInput> inputs;            // widths and peaks
  std::vector<std::string> notes;
  Errors errors;  // formats that nobody knows, and peaks that the chip has not
};

FormatInputs format_inputs(const Scenario& scenario, const Model& model, const Chip& chip,
                           const std::vector<Format>& formats);

}  // namespace ridge
