#pragma once
// What the backward pass needs of the forward pass, under policies that keep it or compute it again.
// docs/theory/lifecycle.md explains the counts; for GPT's shapes they are those of Korthikanti et al. 2022.

#include <array>
#include <string_view>

#include "base/number/units.hpp"
#include "model/model.hpp"

namespace ridge {

/// Numbers of one token that a layer's backward pass reads, by what they are. Shapes are plain numbers.
struct LayerActivations {
  double hidden = 0;       // of the residual stream: what the layer is given
  double elements = 0;     // inputs of norms and matrices, queries, keys, values
  double masks = 0;        // of dropout, a byte each
  double score_heads = 0;  // heads whose scores are kept for every token of context
  double score_bytes = 0;  // for each score: the softmax, and with dropout its mask and result
  double window = 0;       // tokens a head looks at, at most
};

/// The activations of a layer with its tensors: two norms, the input of every matrix that is not the same as another's.
/// Experts count as often as a token uses them.
LayerActivations layer_activations(const Layer& layer, double hidden, double element_bytes, bool dropout);

enum class ActivationPolicy { keep_all, selective, full, every_root, reversible };
inline constexpr std::array kActivationPolicies = {ActivationPolicy::keep_all, ActivationPolicy::selective,
                                                   ActivationPolicy::full, ActivationPolicy::every_root,
                                                   ActivationPolicy::reversible};
constexpr std::string_view name_of(ActivationPolicy policy) {
  constexpr std::array<std::string_view, 5> kNames = {"keep all", "selective", "full recomputation", "every sqrt(L)",
                                                      "reversible"};
  return kNames[static_cast<std::size_t>(policy)];
}

/// A stack of equal layers (their mean, where they differ), and the load of one step.
template <class S>
struct ActivationCase {
  double layers = 0;
  double hidden = 0, elements = 0, masks = 0;           // of a layer and token, as above
  double score_bytes = 0;                               // of a layer and pair of tokens: heads x bytes
  BytesPerParam<S> width;                               // of an activation
  Ratio<S> batch;                                       // sequences
  Tokens<S> sequence, scored;                           // tokens in each; those a token's scores are over
  FlopsPerToken<S> weights_forward, attention_forward;  // of the whole model
};

template <class S>
struct ActivationCost {
  Bytes<S> kept;     // through the whole forward pass
  Bytes<S> working;  // beside it, while one piece of the backward pass is computed
  Bytes<S> total;
  Flops<S> extra;    // computed again
  Ratio<S> compute;  // of the step, over that without any recomputation
};

template <class S>
ActivationCost<S> activation_cost(const ActivationCase<S>& c, ActivationPolicy policy);

/// What the KV cache spends and saves when every sequence gets one more token: with it that is one token's work, without
/// it all tokens so far are computed again.
struct CacheTrade {
  Bytes<double> cache;
  Flops<double> with_cache, without;
};
CacheTrade cache_trade(const Model& model, Ratio<double> batch, Tokens<double> sequence);

/// The mean of a model's layers at this load. Scores are counted where attention has them.
ActivationCase<double> activation_case(const Model& model, Ratio<double> batch, Tokens<double> sequence, bool dropout);

}  // namespace ridge
