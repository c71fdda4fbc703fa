#pragma once
// How a checkpoint stores its matrices, as the config's quantization_config says.

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/hf/module_patterns.hpp"
#include "catalog/json/config_node.hpp"
#include "library/config_words.hpp"

namespace ridge::catalog {

/// How one matrix is stored.
struct Scheme {
  std::string format;     // in catalog/format.toml: what it computes as
  double bits = 16;       // of a value
  double rows = 0;        // outputs under one scale; 0: all
  double columns = 0;     // inputs under one scale; 0: all
  double scale_bits = 0;  // of a scale, zero point included
  double each = 0;        // bytes a tensor has besides
  double per_input = 0;   // bytes for each input column besides: the order of GPTQ

  double bytes(double in, double out) const;
};

/// Which modules are stored how. Moved, never copied: some patterns are its own.
struct Quantization {
  std::optional<Scheme> scheme, moe;                      // of all that nothing else is said of; of routed experts
  std::vector<std::pair<ModulePatterns, Scheme>> layers;  // modules with a scheme of their own
  bool head_stays = false;                                // the method leaves the head as it is
  bool modules_listed = false;                            // quantized_layers
  bool only_experts = false;                              // everything else stays wide
  bool only_targets = false;                              // modules that no group names stay wide
  std::vector<std::string_view> ignored;                  // of the file's tree, or of
  std::deque<std::string> own_patterns;
  std::string kv;  // format of the cache; empty: as the weights' own

  Quantization() = default;
  Quantization(Quantization&&) = default;
  Quantization& operator=(Quantization&&) = default;

  bool converts() const { return scheme || !layers.empty(); }
};

/// `text` is the language model's part of `root`, or `root` itself; without a quantization_config nothing is converted.
Quantization read_quantization(const ConfigNode& root, const ConfigNode& text, const ConfigWords& words);

}  // namespace ridge::catalog
