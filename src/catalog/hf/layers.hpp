#pragma once
// Which kind each layer of a config is: the many ways in which families write that down, as one form per layer.

#include <optional>
#include <string>
#include <vector>

#include "catalog/hf/config.hpp"
#include "catalog/hf/family.hpp"
#include "catalog/json/config_node.hpp"

namespace ridge::catalog {

enum class LayerKind {
  full,
  sliding,
  chunked,
  delta,       // gated delta rule
  kimi_delta,  // the same with a decay for every channel
  lightning,
  mamba,
  convolution,
  cross,
  compressed,
  linear,  // attention replaced by one matrix
  none,    // a feed-forward network alone
};

struct LayerForm {
  LayerKind mixer = LayerKind::full;
  bool feed_forward = true;
  bool experts = false;
  double ratio = 0;                     // compressed attention: tokens under one entry
  std::optional<double> kv_heads = {};  // where the layer says so itself
  std::optional<double> window = {};    // likewise
  std::optional<double> ffn_size = {};  // likewise
  bool linear_ffn = false;              // feed-forward network replaced by one matrix
};

struct LayerForms {
  std::vector<LayerForm> layers, mtp;
};

/// What the words in a file mean: the catalog's, and the user's.
struct Wording {
  const ConfigWords& words;
  const Assumptions& assumptions;
  std::vector<std::string>& used;  // collects the assumptions that were needed
};

LayerForms read_layers(const ConfigNode& text, const Family& family, const Wording& wording);

/// A number that some files give once and others for each layer; then they must agree.
std::optional<double> uniform_count(const ConfigNode& text, Names names);

}  // namespace ridge::catalog
