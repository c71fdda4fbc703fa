#pragma once
// What computing a whole prompt takes: the weights for every token, and attention of every token to those before it.

#include "model/model.hpp"
#include "price/tier/tier.hpp"
#include "roofline/weights_compute.hpp"

namespace ridge {

/// FLOP of attention over a prompt, for each of its tokens on average, as prefill computes it.
FlopsPerToken<double> prefill_attention(const Model& model, const Tokens<double>& prompt);
/// The same from the decode step's own terms, where the model's layers are not known: latent attention counts absorbed.
FlopsPerToken<double> prefill_attention(const DecodeCase<double>& c, const Tokens<double>& prompt);

/// Peak chip time for a token of a prompt.
template <class S>
SecondsPerToken<S> prefill_work(const DecodeCase<S>& c, const FlopsPerToken<S>& attention) {
  const auto with_weights = weights_compute(c, literal<FlopsPerParamToken<S>>(2.0));
  return named("c_prompt", with_weights.dense + with_weights.experts + attention / c.matmul_attention);
}

}  // namespace ridge
