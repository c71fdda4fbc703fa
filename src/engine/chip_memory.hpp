#pragma once
// What an engine takes of a chip's memory, by its own rule, and what that leaves for the KV cache.

#include "base/number/units.hpp"

namespace ridge {

/// What an engine's memory utilization is a share of.
enum class MemoryRule {
  everything,         // all memory of the chip: weights, activations, process and cache are inside (vLLM)
  weights_and_cache,  // the same, but only weights and cache are inside; the rest comes beside (SGLang)
  free,               // what weights, activations and process leave: the cache is inside (TensorRT-LLM)
  up_front,           // all memory, and the cache of every sequence at its longest is taken at the start (llama.cpp)
};

/// What one chip holds.
template <class S>
struct ChipMemoryOf {
  Bytes<S> there, usable;  // all of it, and the engine's share
  Bytes<S> weights, activations, process;
  Bytes<S> cache;          // left for the KV cache
  Ratio<S> sequences;      // of this length that fit, over one replica
  Tokens<S> cache_tokens;  // of the sequences of one attention group, at this length
  Ratio<S> longest_held;   // requests at their longest that one attention group holds: below 1 none can be admitted
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
  if (terms.rule == MemoryRule::everything || terms.rule == MemoryRule::up_front) return share;
  const Bytes<S> held = weights + beside;
  return min(terms.there, held + max(literal<Bytes<S>>(0.0), terms.there - held) * terms.utilization);
}

}  // namespace ridge
