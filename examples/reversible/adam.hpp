#pragma once

#include <cmath>

#include "trained_network.hpp"

namespace reversible {

/// Adam (Kingma and Ba, 2015): every weight moves by about `rate` along its mean slope, measured in that slope's own size.
template <class Stream>
class Adam {
 public:
  using Real = typename Stream::Real;

  Adam(const Shape& shape, double rate)
      : rate_(rate), mean_(zero_parameters<Real>(ledger_, shape)), square_(zero_parameters<Real>(ledger_, shape)) {}

  void update(Network<Stream>& network) {
    ++steps_;
    const Real mean_share = static_cast<Real>(1 - std::pow(kMeanDecay, steps_));
    const Real square_share = static_cast<Real>(1 - std::pow(kSquareDecay, steps_));
    const auto weights = network.parameters().tensors(), slopes = network.gradient().tensors();
    const auto means = mean_.tensors(), squares = square_.tensors();
    for (std::size_t t = 0; t < weights.size(); ++t) {
      for (std::size_t i = 0; i < weights[t]->elements().size(); ++i) {
        const Real slope = slopes[t]->elements()[i];
        Real& mean = means[t]->elements()[i];
        Real& square = squares[t]->elements()[i];
        mean += Real(1 - kMeanDecay) * (slope - mean);
        square += Real(1 - kSquareDecay) * (slope * slope - square);
        weights[t]->elements()[i] -=
            static_cast<Real>(rate_) * (mean / mean_share) / (std::sqrt(square / square_share) + Real(1e-8));
      }
    }
  }

 private:
  static constexpr double kMeanDecay = 0.9, kSquareDecay = 0.99;
  double rate_;
  int steps_ = 0;
  Ledger ledger_;
  Parameters<Real> mean_, square_;
};

}  // namespace reversible
