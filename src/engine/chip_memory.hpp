#pragma once
// What an engine takes of a chip's memory, by its own rule, and what that leaves for the KV cache.

#include "base/units.hpp"

namespace ridge {

/// What an engine's memory utilization is a share of.
enum class MemoryRule {
  everything,         // all memory of the chip: weights, activations, process and cache are inside (vLLM)
  weights_and_cache,  // the same, but only weights and cache are inside; the rest comes beside (SGLang)
  free,               // what weights, activations and process leave: the cache is inside (TensorRT-LLM)
};

/// An engine's claim on one chip.
struct MemoryShare {
  MemoryRule rule = MemoryRule::everything;
  double utilization = 0;
  double there = 0;    // bytes of the chip
  double process = 0;  // of which the engine's process holds so many beside its tensors
};

/// Bytes that the engine takes where a chip holds these weights and activations.
template <class N>
N usable_memory(const MemoryShare& share, const N& weights, const N& activations) {
  const N there(share.there), taken(share.there * share.utilization), nothing(0.0);
  if (share.rule == MemoryRule::everything) return taken;
  const N beside = activations + N(share.process);
  if (share.rule == MemoryRule::weights_and_cache) return min(there, taken + beside);
  return there - max(nothing, there - (weights + beside)) * N(1 - share.utilization);
}

/// Bytes of these left for the cache; below zero where weights and activations do not fit.
template <class N>
N cache_room(const MemoryShare& share, const N& weights, const N& activations) {
  return usable_memory(share, weights, activations) - N(share.process) - weights - activations;
}

/// What one chip holds.
struct ChipMemory {
  Bytes<double> there, usable;  // all of it, and the engine's share
  Bytes<double> weights, activations, process;
  Bytes<double> cache;      // left for the context
  double cache_tokens = 0;  // of the sequences of one attention group, at this length
  double sequences = 0;     // of this length that fit, over one replica
};

}  // namespace ridge
