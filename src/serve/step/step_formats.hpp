#pragma once
// Which number formats a step's tensors are in on a given chip: as released, or as the user says.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "library/library.hpp"
#include "serve/step/step.hpp"

namespace ridge {

struct FormatChoice {
  std::optional<std::string> weights;  // of attention and dense networks, and of experts unless said apart
  std::optional<std::string> experts;
  std::optional<std::string> kv;
  // what an engine multiplies weights of a format with, where that is wider: the wider one's unit does it
  std::vector<std::pair<std::string, std::string>> activations = {};
  EngineLookUps look_ups = {};
};

/// Embedding, head, router and norms stay as released: quantizers leave them alone. So do the projections of latent
/// attention under a 4-bit format, in 16 bit. A format that the chip does not multiply is widened to 16 bit first.
Result<StepFormats> step_formats(const Model& model, const Library& library, const Chip& chip,
                                 const FormatChoice& choice);

/// ggml's kernels on a chip, with ubatches of so many tokens.
GgmlKernels ggml_kernels(const Library& library, const Chip& chip, double ubatch);

/// The matrix unit that multiplies a format on a chip.
Precision precision_on(const Format& format, const Chip& chip);

/// The kernels that multiply experts of so many bytes a parameter: narrow ones are unpacked where the unit is not.
GroupedKernel grouped_kernel(Precision precision, bool block_scaled, double width);

/// The peak of a matrix unit as the datasheet has it, or that of a wider one which does its work; null where none does.
const Sourced<FlopsPerSecond<double>>* matrix_peak(const Chip& chip, Precision precision);

/// Datasheet peaks of a chip in a machine.
ChipPeaks<double> peaks_of(const Chip& chip, const Machine* machine);

}  // namespace ridge
