#include "train/memory/kept_modules.hpp"

#include <algorithm>
#include <limits>

namespace ridge {

namespace {

constexpr double kAnyPieces = std::numeric_limits<double>::infinity();

/// The module whose numbers a matrix gives or takes.
KeptModule module_of(const Weight& weight) {
  const bool last = weight.split == Split::rows;
  switch (weight.part) {
    case Part::routed_experts:
      return last ? KeptModule::expert_activation : KeptModule::expert_network;
    case Part::router:
      return KeptModule::router;
    case Part::attention:
      if (last) return KeptModule::attention_result;
      return weight.split == Split::whole ? KeptModule::latents : KeptModule::projections;
    default:
      return last ? KeptModule::activation : KeptModule::network;
  }
}

bool dropped(const KeptModules::Share& share, const RecomputePolicy& policy) {
  switch (share.module) {
    case KeptModule::inputs:
      return policy.norms;
    case KeptModule::network_inputs:
      return policy.norms || policy.mlp_norm;
    case KeptModule::network:
    case KeptModule::activation:
      return share.shared ? policy.moe : policy.mlp;
    case KeptModule::expert_activation:
      return policy.moe_activation || policy.moe;
    case KeptModule::expert_network:
    case KeptModule::dispatched:
    case KeptModule::router:
      return policy.moe;
    default:
      return false;
  }
}

}  // namespace

double KeptModules::total() const {
  double sum = 0;
  for (const Share& share : shares) sum += share.elements;
  return sum;
}

KeptModules kept_modules(const Layer& layer, double hidden) {
  KeptModules out;
  const auto add = [&](KeptModule module, double elements, double pieces, bool routed = false, bool shared = false) {
    if (elements > 0) out.shares.push_back({module, elements, pieces, routed, shared});
  };
  add(KeptModule::norms, layer.norms * hidden, 1);
  bool mixes = false;
  for (const Weight& weight : weights_of(layer, hidden)) {
    if (weight.use != Use::matrix) continue;
    mixes = mixes || weight.part == Part::attention;
    const bool last = weight.split == Split::rows;
    const double pieces = weight.split == Split::whole ? 1 : weight.pieces;
    const bool routed = weight.part == Part::routed_experts;
    add(module_of(weight), (last ? weight.in : weight.out) * weight.used, pieces, routed,
        layer.experts.has_value() && !routed);
  }
  // the normalized input of each half is shared by its matrices
  add(KeptModule::inputs, mixes ? hidden : 0, 1);
  add(KeptModule::network_inputs, ((layer.dense ? 1.0 : 0.0) + (layer.experts ? 1.0 : 0.0)) * hidden, 1);
  // a token is copied for each of its experts, unless it has only one
  if (layer.experts && layer.experts->per_token > 1) {
    const double width = layer.experts->latent > 0 ? layer.experts->latent : hidden;
    add(KeptModule::dispatched, layer.experts->per_token * width, 1, true);
  }
  return out;
}

std::array<double, kKeptModules> kept_on_chip(const KeptModules& kept, const KeptSplit& split,
                                              const RecomputePolicy& policy) {
  std::array<double, kKeptModules> out{};
  for (const KeptModules::Share& share : kept.shares) {
    if (dropped(share, policy)) continue;
    double divided = share.elements;
    if (share.routed) {
      // a chip's experts take tokens of the whole group: as many rows as it sends, each divided over the expert's chips
      const double inner = share.module == KeptModule::dispatched ? 1 : split.expert_tensor;
      divided = share.elements * split.expert_tensor / split.tensor / inner;
    } else if (share.pieces > 1) {
      divided = share.elements / std::min(split.tensor, share.pieces);
    } else if (split.sequence_parallel) {
      divided = share.elements / split.tensor;
    }
    if (policy.mla_up && share.module == KeptModule::projections && share.pieces != kAnyPieces) {
      bool latent = false;
      for (const KeptModules::Share& other : kept.shares) latent = latent || other.module == KeptModule::latents;
      if (latent) continue;
    }
    out[static_cast<std::size_t>(share.module)] += divided;
  }
  return out;
}

}  // namespace ridge
