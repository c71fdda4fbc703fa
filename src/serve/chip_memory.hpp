#pragma once
// What one chip of a layout holds: weights, activations, the engine's process, and the room that is left for sequences.

#include "engine/chip_memory.hpp"
#include "serve/step/step.hpp"

namespace ridge {

/// One chip of a layout with sequences of this length.
template <class S>
ChipMemoryOf<S> chip_memory(const StepOperations& operations, const MemoryTermsOf<S>& terms, const Tokens<S>& length) {
  ChipMemoryOf<S> memory;
  memory.there = terms.there;
  memory.process = terms.process;
  memory.weights = literal<Bytes<S>>(weights_held(operations));
  memory.activations = literal<Bytes<S>>(activations_held(operations, terms.token_budget));
  memory.usable = usable_memory(terms, memory.weights, memory.activations);
  memory.cache = memory.usable - memory.process - memory.weights - memory.activations;
  const auto groups = literal<Ratio<S>>(operations.attention_data);
  memory.sequences =
      named("sequences", max(literal<Bytes<S>>(0.0), memory.cache) / kv_cache_held<S>(operations, length) * groups);
  memory.cache_tokens = memory.sequences / groups * length;
  return memory;
}

}  // namespace ridge
