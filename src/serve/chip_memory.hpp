#pragma once
// What one chip holds: weights, activations, the engine's process, and the room that is left for the KV cache.

#include "serve/step.hpp"

namespace ridge {

/// What an engine's share of memory is a share of.
enum class MemoryRule {
  everything,         // all that the engine takes (vLLM)
  weights_and_cache,  // those alone, activations and the process come beside (SGLang)
  free,               // the cache's share of what all else leaves (TensorRT-LLM)
};

template <class S>
struct ChipMemoryOf {
  Bytes<S> there, usable;  // all of it, and the engine's share
  Bytes<S> weights, activations, process;
  Bytes<S> cache;          // left for the KV cache
  Ratio<S> sequences;      // of this length that fit, over one replica
  Tokens<S> cache_tokens;  // of the sequences of one attention group, at this length
};
using ChipMemory = ChipMemoryOf<double>;

/// A chip's memory and how an engine uses it.
template <class S>
struct MemoryTermsOf {
  Bytes<S> there;        // what the driver shows
  Bytes<S> process;      // held by the engine's process beside its tensors
  Ratio<S> utilization;  // of it, by the engine's rule
  MemoryRule rule = MemoryRule::everything;
  double token_budget = 8192;  // of a step with prefill
};
using MemoryTerms = MemoryTermsOf<double>;

/// What an engine takes of a chip that holds all but the KV cache already, by its own rule.
template <class S>
Bytes<S> usable_memory(const MemoryTermsOf<S>& terms, const Bytes<S>& weights, const Bytes<S>& activations) {
  const Bytes<S> beside = activations + terms.process;
  const Bytes<S> share = terms.there * terms.utilization;
  if (terms.rule == MemoryRule::weights_and_cache) return min(terms.there, share + beside);
  if (terms.rule == MemoryRule::everything) return share;
  const Bytes<S> held = weights + beside;
  return min(terms.there, held + max(literal<Bytes<S>>(0.0), terms.there - held) * terms.utilization);
}

/// One chip of a layout with sequences of this length.
template <class S, class N>
ChipMemoryOf<S> chip_memory(const StepOperationsOf<N>& operations, const MemoryTermsOf<S>& terms,
                            const Tokens<S>& length) {
  ChipMemoryOf<S> memory;
  memory.there = terms.there;
  memory.process = terms.process;
  memory.weights = amount<Bytes<S>>(weights_held(operations));
  memory.activations = amount<Bytes<S>>(activations_held(operations, N(terms.token_budget)));
  memory.usable = usable_memory(terms, memory.weights, memory.activations);
  const Bytes<S> left = memory.usable - memory.process - memory.weights - memory.activations;
  memory.cache = memory.usable - memory.weights - memory.activations - memory.process;
  const auto groups = amount<Ratio<S>>(operations.attention_data);
  memory.sequences = max(literal<Bytes<S>>(0.0), left) / kv_cache_held<S>(operations, length) * groups;
  memory.cache_tokens = memory.sequences / groups * length;
  return memory;
}

}  // namespace ridge
