#pragma once
// What a checkpoint's weights weigh: the format of every tensor by the config's quantization_config, scales included.

#include "catalog/hf/family.hpp"
#include "catalog/json/config_node.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// Fills model.precision and model.released. `text` is the language model's part of `root`, or `root` itself.
void read_precision(const ConfigNode& root, const ConfigNode& text, const ConfigWords& words, Model& model);

}  // namespace ridge::catalog
