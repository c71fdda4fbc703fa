#pragma once
// What one chip of a layout holds: weights, activations, the engine's process, and the room that is left for sequences.

#include "engine/chip_memory.hpp"
#include "serve/step/step.hpp"

namespace ridge {

/// How long a request is: over its life on average, which says how many fit beside each other, and at its end, for
/// which there has to be room before it may begin.
template <class S>
struct RequestLengths {
  Tokens<S> mean, longest;
};

/// A prompt and what is generated after it.
template <class S>
RequestLengths<S> request_lengths(const Tokens<S>& isl, const Tokens<S>& osl) {
  return {isl + osl * 0.5, isl + osl};
}

/// One chip of a layout with requests of these lengths.
template <class S>
ChipMemoryOf<S> chip_memory(const StepOperations& operations, const MemoryTermsOf<S>& terms,
                            const RequestLengths<S>& lengths) {
  ChipMemoryOf<S> memory;
  memory.there = terms.there;
  memory.process = terms.process;
  memory.weights = literal<Bytes<S>>(weights_held(operations));
  memory.activations = literal<Bytes<S>>(activations_held(operations, terms.token_budget));
  memory.usable = usable_memory(terms, memory.weights, memory.activations);
  memory.cache = memory.usable - memory.process - memory.weights - memory.activations;
  const auto groups = literal<Ratio<S>>(operations.attention_data);
  const Bytes<S> room = max(literal<Bytes<S>>(0.0), memory.cache);
  const Tokens<S>& taken = terms.rule == MemoryRule::up_front ? lengths.longest : lengths.mean;
  memory.sequences = named("sequences", room / kv_cache_held<S>(operations, taken) * groups);
  memory.cache_tokens = memory.sequences / groups * taken;
  memory.longest_held = room / kv_cache_held<S>(operations, lengths.longest);
  return memory;
}

}  // namespace ridge
