#pragma once
// The four ways of training that the program compares, and a network that can be trained in each.

#include <algorithm>
#include <array>
#include <string_view>

#include "network.hpp"

namespace reversible {

enum class Method { kResidualStored, kResidualRecomputed, kReversibleStored, kReversibleRebuilt };

inline constexpr std::array kMethods = {Method::kResidualStored, Method::kResidualRecomputed, Method::kReversibleStored,
                                        Method::kReversibleRebuilt};

constexpr std::string_view name_of(Method method) {
  switch (method) {
    case Method::kResidualStored:
      return "residual: stored";
    case Method::kResidualRecomputed:
      return "residual: recomputed";
    case Method::kReversibleStored:
      return "reversible: stored";
    case Method::kReversibleRebuilt:
      return "reversible: rebuilt";
  }
  return "";
}

constexpr bool is_reversible(Method method) {
  return method == Method::kReversibleStored || method == Method::kReversibleRebuilt;
}

constexpr Keep keep_of(Method method) {
  switch (method) {
    case Method::kResidualRecomputed:
      return Keep::kInputs;
    case Method::kReversibleRebuilt:
      return Keep::kNothing;
    default:
      return Keep::kEverything;
  }
}

/// Weights, their gradient, and two ledgers: one for both of these, one for what a step makes and lets go.
template <class Stream>
class Network {
 public:
  using Real = typename Stream::Real;

  Network(const Shape& shape, std::uint64_t seed, double gain = 1)
      : shape_(shape),
        parameters_(random_parameters<Real>(weights_, shape, seed, gain)),
        gradient_(zero_parameters<Real>(weights_, shape)) {}
  Network(const Network&) = delete;  // tensors point to the ledgers
  Network& operator=(const Network&) = delete;

  const Shape& shape() const { return shape_; }
  Parameters<Real>& parameters() { return parameters_; }
  Parameters<Real>& gradient() { return gradient_; }
  const Ledger& weights() const { return weights_; }
  const Ledger& activations() const { return activations_; }

  /// The loss of a batch; gradient() becomes its gradient.
  double step(Method method, const Batch& batch) {
    for (Tensor<Real>* tensor : gradient_.tensors())
      std::fill(tensor->elements().begin(), tensor->elements().end(), Real(0));
    activations_.peak = activations_.live;
    const Keep keep = keep_of(method);
    if (is_reversible(method)) return run(ReversibleStack<Stream>(parameters_.blocks, shape_, keep), batch);
    return run(ResidualStack<Real>(parameters_.blocks, shape_, keep), batch);
  }

  /// The loss of a batch, forward pass only.
  double loss(Method method, const Batch& batch) {
    if (is_reversible(method)) return loss_of<ReversibleStack<Stream>>(parameters_, shape_, batch, activations_);
    return loss_of<ResidualStack<Real>>(parameters_, shape_, batch, activations_);
  }

 private:
  template <class Stack>
  double run(Stack stack, const Batch& batch) {
    return add_gradient(std::move(stack), parameters_, batch, activations_, gradient_);
  }

  Ledger weights_, activations_;  // before what is counted in them
  Shape shape_;
  Parameters<Real> parameters_, gradient_;
};

}  // namespace reversible
