#pragma once
// What a layer's backward pass reads of its forward pass, by module: the one list behind `ridge activations` and the
// memory of a training run. docs/theory/training.md has the table.

#include <array>
#include <string_view>

#include "model/model.hpp"
#include "train/step/recompute.hpp"

namespace ridge {

enum class KeptModule {
  norms,             // inputs of the norms
  inputs,            // normalized, as the matrices of attention read them
  network_inputs,    // the same of the networks
  projections,       // queries, keys and values as attention reads them
  latents,           // of latent attention: what its up-projections read
  attention_result,  // as the output projection reads it
  network,           // gate and up of a dense or shared network
  activation,        // as its down projection reads it
  router,
  dispatched,         // tokens as their experts read them
  expert_network,     // gate and up of the routed experts
  expert_activation,  // as their down projections read it
};
inline constexpr std::size_t kKeptModules = 12;
constexpr std::string_view name_of(KeptModule module) {
  constexpr std::array<std::string_view, kKeptModules> kNames = {
      "norms", "inputs",  "ffn_inputs", "qkv",        "latents", "attention_result",
      "ffn",   "ffn_act", "router",     "dispatched", "experts", "experts_act"};
  return kNames[static_cast<std::size_t>(module)];
}

/// Numbers of one token that a layer keeps, by module. `whole` of them every chip of a tensor group has unless sequence
/// parallelism divides them; the others are divided over as many chips as there are pieces.
struct KeptModules {
  struct Share {
    KeptModule module = KeptModule::norms;
    double elements = 0;
    double pieces = 1;    // most that tensor parallelism divides it into
    bool routed = false;  // one of so many copies that a token makes for its experts
    bool shared = false;  // of a network that all tokens of a layer with experts pass: recomputed with these
  };
  std::vector<Share> shares;
  double total() const;
};
KeptModules kept_modules(const Layer& layer, double hidden);

/// How a chip divides what is kept.
struct KeptSplit {
  double tensor = 1, expert_tensor = 1;
  bool sequence_parallel = true;
};

/// Numbers of one token of a tensor group that one chip keeps under a policy, by module. Whole layers that are computed
/// again, and reversible ones, are another matter: see training_memory.hpp.
std::array<double, kKeptModules> kept_on_chip(const KeptModules& kept, const KeptSplit& split,
                                              const RecomputePolicy& policy);

}  // namespace ridge
