#pragma once
// Layer norm without gain and bias: the matrix that follows can hold both.

#include <cmath>

#include "tensor.hpp"

namespace reversible {

template <class Real>
struct NormTape {
  Tensor<Real> normal;             // (x - mean) / deviation
  Tensor<Real> inverse_deviation;  // one a token
};

template <class Real>
NormTape<Real> layer_norm(const Tensor<Real>& x) {
  NormTape<Real> tape{x, Tensor<Real>(x.ledger(), x.rows(), 1)};
  const Real count = static_cast<Real>(x.columns());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const auto row = tape.normal.row(i);
    Real mean = 0, variance = 0;
    for (const Real value : row) mean += value / count;
    for (Real& value : row) value -= mean;
    for (const Real value : row) variance += value * value / count;
    const Real inverse = 1 / std::sqrt(variance + Real(1e-5));
    for (Real& value : row) value *= inverse;
    tape.inverse_deviation.row(i)[0] = inverse;
  }
  return tape;
}

/// From the slope with respect to the normal values, in place, to that with respect to x: what is left of it after its
/// mean, and its part along the normal values, are taken off, since neither moves the output.
template <class Real>
Tensor<Real> layer_norm_backward(const NormTape<Real>& tape, Tensor<Real> slope) {
  const Real count = static_cast<Real>(slope.columns());
  for (std::size_t i = 0; i < slope.rows(); ++i) {
    const auto normal = tape.normal.row(i);
    const auto row = slope.row(i);
    Real mean = 0;
    for (const Real value : row) mean += value / count;
    const Real along = dot<Real>(row, normal) / count;
    const Real inverse = tape.inverse_deviation.row(i)[0];
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = inverse * (row[j] - mean - normal[j] * along);
  }
  return slope;
}

}  // namespace reversible
