#pragma once
// Which layers of a config have routed experts.

#include <vector>

#include "catalog/hf/layers.hpp"

namespace ridge::catalog {

/// Routed experts in a layer, under any of its names; 0 for a dense model. A list, one entry a layer, must agree.
double routed_experts(const ConfigNode& text);

/// Marks those among layers whose mixers are known.
void mark_experts(const ConfigNode& text, const Wording& wording, std::vector<LayerForm>& layers);

}  // namespace ridge::catalog
