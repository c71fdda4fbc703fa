#pragma once
// Letters in, a guess at each next letter out: an embedding, a stack of blocks, a matrix to letters, the loss.

#include <random>

#include "residual_stack.hpp"
#include "reversible_stack.hpp"

namespace reversible {

/// All weights of a network, and (in another one) their gradient. Residual and reversible networks have the same.
template <class Real>
struct Parameters {
  Tensor<Real> letters;  // letter x width
  Tensor<Real> places;   // position x width
  std::vector<Block<Real>> blocks;
  Tensor<Real> head;  // width x letter

  std::vector<Tensor<Real>*> tensors() {
    std::vector<Tensor<Real>*> all = {&letters, &places, &head};
    for (Block<Real>& block : blocks) {
      all.insert(all.end(), {&block.attention.query_key_value, &block.attention.output, &block.mlp.in, &block.mlp.out});
    }
    return all;
  }
};

template <class Real>
Parameters<Real> zero_parameters(Ledger& ledger, const Shape& shape) {
  const auto matrix = [&](std::size_t rows, std::size_t columns) { return Tensor<Real>(ledger, rows, columns); };
  const std::size_t width = shape.width;
  Parameters<Real> result{
      matrix(shape.vocabulary, width), matrix(shape.length, width), {}, matrix(width, shape.vocabulary)};
  for (std::size_t i = 0; i < shape.depth; ++i) {
    result.blocks.push_back(
        {{matrix(width, 3 * width), matrix(width, width)}, {matrix(width, 4 * width), matrix(4 * width, width)}});
  }
  return result;
}

/// Normal with variance gain^2 / inputs: with gain 1 every sublayer writes about as much as layer norm hands it.
template <class Real>
void randomise(Tensor<Real>& weights, double gain, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, gain / std::sqrt(static_cast<double>(weights.rows())));
  for (Real& weight : weights.elements()) weight = static_cast<Real>(normal(random));
}

/// The same seed gives the same weights in every precision.
template <class Real>
Parameters<Real> random_parameters(Ledger& ledger, const Shape& shape, std::uint64_t seed, double gain = 1) {
  std::mt19937_64 random(seed);
  Parameters<Real> result = zero_parameters<Real>(ledger, shape);
  for (Tensor<Real>* tensor : result.tensors()) randomise(*tensor, gain, random);
  for (Tensor<Real>* table : {&result.letters, &result.places}) {  // rows are looked up, not summed over
    for (Real& value : table->elements()) value *= std::sqrt(static_cast<Real>(table->rows()) / 2);
  }
  return result;
}

/// Sequences of letters, one after the other, and the letter that follows each.
struct Batch {
  std::vector<std::size_t> letters, next;
};

template <class Real>
Tensor<Real> embed(const Parameters<Real>& parameters, const Batch& batch, Ledger& activations) {
  const std::size_t length = parameters.places.rows();
  Tensor<Real> x(activations, batch.letters.size(), parameters.letters.columns());
  for (std::size_t i = 0; i < batch.letters.size(); ++i) {
    add_scaled<Real>(1, parameters.letters.row(batch.letters[i]), x.row(i));
    add_scaled<Real>(1, parameters.places.row(i % length), x.row(i));
  }
  return x;
}

template <class Real>
void embed_backward(const Tensor<Real>& slope, const Batch& batch, Parameters<Real>& gradient) {
  const std::size_t length = gradient.places.rows();
  for (std::size_t i = 0; i < batch.letters.size(); ++i) {
    add_scaled<Real>(1, slope.row(i), gradient.letters.row(batch.letters[i]));
    add_scaled<Real>(1, slope.row(i), gradient.places.row(i % length));
  }
}

/// Mean of -log(probability of the letter that came), in nats. Turns `logits` into the slope with respect to them.
template <class Real>
double cross_entropy(const Batch& batch, Tensor<Real>& logits) {
  const Real share = 1 / static_cast<Real>(batch.next.size());
  double loss = 0;
  for (std::size_t i = 0; i < batch.next.size(); ++i) {
    const auto row = logits.row(i);
    softmax<Real>(row);
    loss -= static_cast<double>(share) * std::log(static_cast<double>(row[batch.next[i]]));
    row[batch.next[i]] -= 1;
    for (Real& value : row) value *= share;
  }
  return loss;
}

/// The loss alone.
template <class Stack, class Real>
double loss_of(const Parameters<Real>& parameters, const Shape& shape, const Batch& batch, Ledger& activations) {
  Stack stack(parameters.blocks, shape, Keep::kNothing);
  const NormTape<Real> norm = layer_norm(stack.forward(embed(parameters, batch, activations)));
  Tensor<Real> logits = product(norm.normal, parameters.head);
  return cross_entropy(batch, logits);
}

/// The loss, with its gradient added to `gradient`: one forward and one backward pass.
template <class Real, class Stack>
double add_gradient(Stack stack, const Parameters<Real>& parameters, const Batch& batch, Ledger& activations,
                    Parameters<Real>& gradient) {
  const NormTape<Real> norm = layer_norm(stack.forward(embed(parameters, batch, activations)));
  Tensor<Real> logits = product(norm.normal, parameters.head);
  const double loss = cross_entropy(batch, logits);
  add_outer_products(norm.normal, logits, gradient.head);
  Tensor<Real> slope = layer_norm_backward(norm, product_transposed(logits, parameters.head));
  embed_backward(stack.backward(std::move(slope), gradient.blocks), batch, gradient);
  return loss;
}

}  // namespace reversible
