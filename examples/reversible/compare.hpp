#pragma once
// How far apart two gradients are, and how far a gradient is from finite differences.

#include "trained_network.hpp"

namespace reversible {

/// A copy of all numbers of a gradient, in order.
template <class Real>
std::vector<Real> flattened(Parameters<Real>& parameters) {
  std::vector<Real> all;
  for (const Tensor<Real>* tensor : parameters.tensors())
    all.insert(all.end(), tensor->elements().begin(), tensor->elements().end());
  return all;
}

/// |a - b| / |b|
template <class Real>
double relative_distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double from = static_cast<double>(b[i]), apart = static_cast<double>(a[i]) - from;
    difference += apart * apart;
    size += from * from;
  }
  return std::sqrt(difference / size);
}

/// How far two methods' gradients of the same batch are apart.
template <class Stream>
double gradient_distance(Network<Stream>& network, const Batch& batch, Method method, Method reference) {
  network.step(reference, batch);
  const auto wanted = flattened(network.gradient());
  network.step(method, batch);
  return relative_distance(flattened(network.gradient()), wanted);
}

/// The worst error of the gradient along random directions, `directions` in each tensor, against central differences, as a
/// share of the typical slope along a direction. Every weight moves by 1e-6: smaller steps drown in rounding, larger ones
/// in curvature.
inline double finite_difference_error(Network<FloatingStream<double>>& network, const Batch& batch, Method method,
                                      int directions, std::mt19937_64& random) {
  constexpr double kStep = 1e-6;
  network.step(method, batch);
  const auto weights = network.parameters().tensors(), slopes = network.gradient().tensors();
  double worst = 0;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    const auto values = weights[t]->elements(), slope = slopes[t]->elements();
    const std::vector<double> before(values.begin(), values.end());
    for (int repeat = 0; repeat < directions; ++repeat) {
      std::vector<double> direction(before.size());
      for (double& part : direction) part = random() % 2 == 0 ? 1 : -1;
      const auto loss_at = [&](double step) {
        for (std::size_t i = 0; i < before.size(); ++i) values[i] = before[i] + step * direction[i];
        return network.loss(method, batch);
      };
      const double measured = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
      std::copy(before.begin(), before.end(), values.begin());
      const double typical = std::sqrt(dot<double>(slope, slope));  // a direction's parts are +1 or -1
      worst = std::max(worst, std::fabs(measured - dot<double>(slope, direction)) / typical);
    }
  }
  return worst;
}

}  // namespace reversible
