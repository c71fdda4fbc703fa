#pragma once
// What one chip of a deployment holds, and what is left of it for sequences.

#include <optional>

#include "engine/chip_memory.hpp"
#include "library/library.hpp"
#include "serve/step.hpp"

namespace ridge {

/// An engine's claim on a chip: the utilization that was asked for, or the engine's own default there, by its own rule.
MemoryShare memory_share(const Engine& engine, std::optional<double> utilization, Bytes<double> there,
                         const Library& library);

/// A chip of a step under that claim, with activations of `token_budget` tokens and sequences of this length.
ChipMemory chip_memory(const StepOperations& plan, const MemoryShare& share, double token_budget, double length);

}  // namespace ridge
