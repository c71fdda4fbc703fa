#pragma once
// What follows from the number of routed experts of a model: their parameters, the router's, and the bytes of a weight on
// average. Whoever moves experts.count (--set, --range, --sensitivity) moves these with it, by one function.

#include "roofline/decode.hpp"

namespace ridge {

/// The case with another number of experts of the same size; `base` is the case whose followers are known.
template <class S>
DecodeCase<S> with_expert_followers(DecodeCase<S> c, const DecodeCase<double>& base) {
  const ExpertFollowers& each = base.follows;
  const Ratio<S> more = c.experts - literal<Ratio<S>>(base.experts.value());
  const Params<S> router = literal<Params<S>>(each.router) * more;
  const Params<S> dense = c.params_dense + router;
  if (each.router_width != base.width_weights.value()) {  // the router is held wider than most: the mean moves
    const auto bytes = c.width_weights * c.params_dense + literal<BytesPerParam<S>>(each.router_width) * router;
    c.width_weights = bytes / dense;
  }
  c.params_dense = dense;
  c.params_routed = literal<Params<S>>(each.routed) * c.experts;
  return c;
}

}  // namespace ridge
