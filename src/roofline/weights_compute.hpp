#pragma once

#include "roofline/decode.hpp"

namespace ridge {

/// Peak chip time to multiply with the weights that one token uses.
template <Dimension D, class S>
struct WeightsCompute {
  Quantity<D, S> dense, experts;
};

/// 2 FLOP for every dense parameter and for those of the chosen experts. `multiply_add` says of what: FLOP/param of one
/// sequence's step, or FLOP/param/token of a prompt.
template <Dimension D, class S>
WeightsCompute<D * kParam / (kFlop / kSecond), S> weights_compute(const DecodeCase<S>& c,
                                                                  const Quantity<D, S>& multiply_add) {
  return {named("c_dense", multiply_add * c.params_dense / c.matmul_weights),
          named("c_experts", multiply_add * c.params_routed * c.chosen_share() / c.matmul_experts)};
}

}  // namespace ridge
