#pragma once
// What computing a whole prompt takes: the weights for every token, and attention of every token to those before it.

#include "model/model.hpp"
#include "price/tier/tier.hpp"
#include "roofline/decode.hpp"

namespace ridge {

/// FLOP of attention over a prompt, for each of its tokens on average, as prefill computes it.
FlopsPerToken<double> prefill_attention(const Model& model, const Tokens<double>& prompt);
/// The same from the decode step's own terms, where the model's layers are not known: latent attention counts absorbed.
FlopsPerToken<double> prefill_attention(const DecodeCase<double>& c, const Tokens<double>& prompt);

/// Peak chip time for a token of a prompt.
template <class S>
SecondsPerToken<S> prefill_work(const DecodeCase<S>& c, const FlopsPerToken<S>& attention) {
  const auto multiply_add = literal<FlopsPerParamToken<S>>(2.0);
  const auto dense = named("c_dense", multiply_add * c.params_dense / c.matmul_weights);
  const auto experts =
      named("c_experts", multiply_add * c.params_routed * (c.experts_per_token / c.experts) / c.matmul_experts);
  return named("c_prompt", dense + experts + attention / c.matmul_attention);
}

}  // namespace ridge
