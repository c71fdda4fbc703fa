#pragma once
// The equations of activations.hpp; include only from files that instantiate them.

#include "train/activations.hpp"

#include <cmath>

namespace ridge {

template <class S>
ActivationCost<S> activation_cost(const ActivationCase<S>& c, ActivationPolicy policy) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto param = literal<Params<S>>(1.0);  // a number; widths are bytes a number
  const Ratio<S> tokens = c.batch * (c.sequence / literal<Tokens<S>>(1.0));
  const Bytes<S> number = c.width * param;
  const auto byte = literal<Bytes<S>>(1.0);
  const Bytes<S> input = tokens * number * c.hidden;                      // what a layer is given
  const Bytes<S> lean = tokens * (number * c.elements + byte * c.masks);  // all of a layer but the scores
  const Bytes<S> scores = tokens * (c.scored / literal<Tokens<S>>(1.0)) * byte * c.score_bytes;
  const Flops<S> forward = c.batch * ((c.weights_forward + c.attention_forward) * c.sequence);
  ActivationCost<S> cost;
  cost.extra = literal<Flops<S>>(0.0);
  cost.working = literal<Bytes<S>>(0.0);
  switch (policy) {
    case ActivationPolicy::keep_all:
      cost.kept = (lean + scores) * c.layers;
      break;
    case ActivationPolicy::selective:
      // scores are cheap to compute again and many: only they are dropped
      cost.kept = lean * c.layers;
      cost.working = scores;
      cost.extra = c.batch * (c.attention_forward * c.sequence);
      break;
    case ActivationPolicy::full:
      // every layer's input; a layer runs forward again when its turn comes
      cost.kept = input * c.layers;
      cost.working = lean + scores;
      cost.extra = forward;
      break;
    case ActivationPolicy::every_root: {
      // the input of every sqrt(L)-th layer; that many layers run forward again together (Chen et al. 2016)
      const double stride = std::max(1.0, std::round(std::sqrt(c.layers)));
      cost.kept = input * std::ceil(c.layers / stride);
      cost.working = (lean + scores) * stride;
      cost.extra = forward;
      break;
    }
    case ActivationPolicy::reversible:
      // the two streams of the last layer; all others are computed back from them (Gomez et al. 2017)
      cost.kept = input * 2.0;
      cost.working = lean + scores;
      cost.extra = forward;
      break;
  }
  cost.total = cost.kept + cost.working;
  // a backward pass costs two forward ones
  cost.compute = one + cost.extra / (forward * 3.0);
  return cost;
}

}  // namespace ridge
