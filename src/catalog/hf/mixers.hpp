#pragma once
// From a layer's form and the config's dimensions to the layer itself.

#include "catalog/hf/layers.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// A size that the file gives, or the family's configuration class for it.
double dimension(const ConfigNode& text, const Family& family, Names names);

/// The same, 0 where neither has it.
double optional_dimension(const ConfigNode& text, const Family& family, Names names);

/// Builds the layers of one config.
class LayerBuilder {
 public:
  LayerBuilder(const ConfigNode& text, const Family& family, double layers);

  /// `index` counts from 0 among the layers, or is beyond them for a prediction module.
  Layer build(const LayerForm& form, double index) const;

 private:
  Mixer mixer(const LayerForm& form, double index) const;
  GroupedAttention grouped(const LayerForm& form, double index) const;
  LatentAttention latent() const;
  CompressedAttention compressed(const LayerForm& form) const;
  DeltaAttention delta() const;
  DeltaAttention kimi_delta() const;
  Mamba mamba() const;
  LightningAttention lightning() const;
  void feed_forward(const LayerForm& form, double index, Layer& layer) const;
  Experts experts(double index) const;
  double ffn_size(const LayerForm& form, double index) const;
  void extras(const LayerForm& form, Layer& layer) const;
  bool borrows_kv(double index) const;
  bool borrows_index(double index) const;

  ConfigNode text_;
  const Family& family_;
  double layers_, hidden_;
};

}  // namespace ridge::catalog
