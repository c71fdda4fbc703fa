#pragma once
// Names such as Q4_K_M stand for a mix: which format each kind of tensor gets when llama.cpp quantizes a model. Counted
// over a model's own tensors, a name gives what its file would hold.

#include "library/library.hpp"

namespace ridge {

/// Layers whose value and down projections get the better format: the first and the last eighth, and every third between.
double better_layers(double layers);

/// Bytes of each part of a model in this mix. Norms, biases and routers are in fp32.
PartBytes mixed_bytes(const Model& model, const WeightMix& mix, const std::vector<Format>& formats);

}  // namespace ridge
