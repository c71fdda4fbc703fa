#pragma once
// F: layer norm, then causal self-attention with heads.

#include <algorithm>
#include <cmath>

#include "layer_norm.hpp"
#include "shape.hpp"

namespace reversible {

template <class Real>
struct AttentionWeights {
  Tensor<Real> query_key_value;  // width x 3 width
  Tensor<Real> output;           // width x width
};

/// What the backward pass needs of the forward pass.
template <class Real>
struct AttentionTape {
  NormTape<Real> norm;
  Tensor<Real> query_key_value;  // token x 3 width
  Tensor<Real> shares;           // (sequence, head, token) x token: how much of each earlier token is looked at
  Tensor<Real> mixed;            // token x width: values, weighted by the shares
};

/// A sublayer's result and its tape. Whoever does not need the tape lets it go, and its memory with it.
template <class Real, class Tape>
struct Passed {
  Tensor<Real> output;
  Tape tape;
};

/// One head's query, key and value in a row of `query_key_value`.
template <class Row>
struct HeadRow {
  HeadRow(const Row& row, const Shape& shape, std::size_t head)
      : query(row.subspan(head * shape.head_width(), shape.head_width())),
        key(row.subspan(shape.width + head * shape.head_width(), shape.head_width())),
        value(row.subspan(2 * shape.width + head * shape.head_width(), shape.head_width())) {}
  Row query, key, value;
};

/// Calls visit(row of the first token, head, row of the first token in `shares`) for every sequence and head.
template <class Visit>
void for_each_head(const Shape& shape, Visit visit) {
  for (std::size_t sequence = 0; sequence < shape.batch; ++sequence) {
    for (std::size_t head = 0; head < shape.heads; ++head) {
      visit(sequence * shape.length, head, (sequence * shape.heads + head) * shape.length);
    }
  }
}

template <class Real>
Real score_scale(const Shape& shape) {
  return 1 / std::sqrt(static_cast<Real>(shape.head_width()));
}

/// exp(x - max) / sum, in place.
template <class Real>
void softmax(std::span<Real> row) {
  const Real highest = *std::max_element(row.begin(), row.end());
  Real sum = 0;
  for (Real& value : row) {
    value = std::exp(value - highest);
    sum += value;
  }
  for (Real& value : row) value /= sum;
}

template <class Real>
void mix_values(const Shape& shape, AttentionTape<Real>& tape) {
  using Head = HeadRow<std::span<const Real>>;
  const Tensor<Real>& projected = tape.query_key_value;
  for_each_head(shape, [&](std::size_t first, std::size_t head, std::size_t first_share) {
    for (std::size_t i = 0; i < shape.length; ++i) {
      const auto query = Head(projected.row(first + i), shape, head).query;
      const auto shares = tape.shares.row(first_share + i).first(i + 1);  // causal: nothing after token i
      for (std::size_t j = 0; j <= i; ++j) {
        shares[j] = score_scale<Real>(shape) * dot<Real>(query, Head(projected.row(first + j), shape, head).key);
      }
      softmax<Real>(shares);
      const auto mixed = tape.mixed.row(first + i).subspan(head * shape.head_width(), shape.head_width());
      for (std::size_t j = 0; j <= i; ++j) {
        add_scaled<Real>(shares[j], Head(projected.row(first + j), shape, head).value, mixed);
      }
    }
  });
}

template <class Real>
Passed<Real, AttentionTape<Real>> pass(const AttentionWeights<Real>& weights, const Shape& shape,
                                       const Tensor<Real>& x) {
  NormTape<Real> norm = layer_norm(x);
  Tensor<Real> projected = product(norm.normal, weights.query_key_value);
  AttentionTape<Real> tape{std::move(norm), std::move(projected),
                           Tensor<Real>(x.ledger(), shape.tokens() * shape.heads, shape.length),
                           Tensor<Real>(x.ledger(), shape.tokens(), shape.width)};
  mix_values(shape, tape);
  Tensor<Real> output = product(tape.mixed, weights.output);
  return {std::move(output), std::move(tape)};
}

/// From the slope of the mixed values to that of queries, keys and values.
template <class Real>
Tensor<Real> mix_values_backward(const Shape& shape, const AttentionTape<Real>& tape, const Tensor<Real>& mixed_slope) {
  using Head = HeadRow<std::span<const Real>>;
  using HeadSlope = HeadRow<std::span<Real>>;
  const Tensor<Real>& projected = tape.query_key_value;
  Tensor<Real> slope(projected.ledger(), projected.rows(), projected.columns());
  Tensor<Real> scratch(projected.ledger(), 1, shape.length);
  for_each_head(shape, [&](std::size_t first, std::size_t head, std::size_t first_share) {
    for (std::size_t i = 0; i < shape.length; ++i) {
      const auto shares = tape.shares.row(first_share + i).first(i + 1);
      const auto share_slopes = scratch.row(0).first(i + 1);
      const auto mixed = mixed_slope.row(first + i).subspan(head * shape.head_width(), shape.head_width());
      for (std::size_t j = 0; j <= i; ++j) {
        share_slopes[j] = dot<Real>(mixed, Head(projected.row(first + j), shape, head).value);
        add_scaled<Real>(shares[j], mixed, HeadSlope(slope.row(first + j), shape, head).value);
      }
      const Real mean = dot<Real>(shares, share_slopes);  // the shares sum to one: only differences move them
      const auto query = Head(projected.row(first + i), shape, head).query;
      const auto query_slope = HeadSlope(slope.row(first + i), shape, head).query;
      for (std::size_t j = 0; j <= i; ++j) {
        const Real score_slope = score_scale<Real>(shape) * shares[j] * (share_slopes[j] - mean);
        add_scaled<Real>(score_slope, Head(projected.row(first + j), shape, head).key, query_slope);
        add_scaled<Real>(score_slope, query, HeadSlope(slope.row(first + j), shape, head).key);
      }
    }
  });
  return slope;
}

/// The slope with respect to x; the weights' slopes are added to `gradient`.
template <class Real>
Tensor<Real> pass_backward(const AttentionWeights<Real>& weights, const Shape& shape, const AttentionTape<Real>& tape,
                           const Tensor<Real>& slope, AttentionWeights<Real>& gradient) {
  add_outer_products(tape.mixed, slope, gradient.output);
  const Tensor<Real> projected_slope = mix_values_backward(shape, tape, product_transposed(slope, weights.output));
  add_outer_products(tape.norm.normal, projected_slope, gradient.query_key_value);
  return layer_norm_backward(tape.norm, product_transposed(projected_slope, weights.query_key_value));
}

}  // namespace reversible
