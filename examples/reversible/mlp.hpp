#pragma once
// G: layer norm, then a network with one hidden layer of four times the width and squared ReLU (So et al., Primer, 2021):
// smooth enough for finite differences, and no exponential to blur the timing.

#include "attention.hpp"

namespace reversible {

template <class Real>
struct MlpWeights {
  Tensor<Real> in;   // width x 4 width
  Tensor<Real> out;  // 4 width x width
};

template <class Real>
struct MlpTape {
  NormTape<Real> norm;
  Tensor<Real> before;  // token x 4 width
  Tensor<Real> after;   // max(before, 0)^2
};

template <class Real>
Passed<Real, MlpTape<Real>> pass(const MlpWeights<Real>& weights, const Shape&, const Tensor<Real>& x) {
  NormTape<Real> norm = layer_norm(x);
  Tensor<Real> before = product(norm.normal, weights.in);
  MlpTape<Real> tape{std::move(norm), before, std::move(before)};
  for (Real& value : tape.after.elements()) value = value > 0 ? value * value : 0;
  Tensor<Real> output = product(tape.after, weights.out);
  return {std::move(output), std::move(tape)};
}

template <class Real>
Tensor<Real> pass_backward(const MlpWeights<Real>& weights, const Shape&, const MlpTape<Real>& tape,
                           const Tensor<Real>& slope, MlpWeights<Real>& gradient) {
  add_outer_products(tape.after, slope, gradient.out);
  Tensor<Real> hidden = product_transposed(slope, weights.out);
  const auto before = tape.before.elements();
  const auto hidden_slopes = hidden.elements();
  for (std::size_t i = 0; i < before.size(); ++i) hidden_slopes[i] *= before[i] > 0 ? 2 * before[i] : 0;
  add_outer_products(tape.norm.normal, hidden, gradient.in);
  return layer_norm_backward(tape.norm, product_transposed(hidden, weights.in));
}

}  // namespace reversible
