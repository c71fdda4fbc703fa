// The networks of examples/reversible, in miniature (the program itself measures them at size): are their gradients right,
// do stored and rebuilt activations give the same ones, and is all memory counted?

#include <doctest/doctest.h>

#include "examples/reversible/compare.hpp"
#include "examples/reversible/text.hpp"

using namespace reversible;

namespace {

Shape small_shape(std::size_t depth) {
  return {.batch = 2, .length = 5, .width = 6, .heads = 2, .depth = depth, .vocabulary = Alphabet().size};
}

Batch small_batch() {
  std::mt19937_64 random(7);
  return random_batch(Alphabet(), small_shape(1), random);
}

template <class Stream>
std::size_t peak(Method method, std::size_t depth) {
  Network<Stream> network(small_shape(depth), 7);
  network.step(method, small_batch());
  return network.activations().peak;
}

}  // namespace

TEST_CASE("every method's gradient is that of finite differences") {
  std::mt19937_64 random(7);
  for (const Method method : kMethods) {
    CAPTURE(name_of(method));
    Network<FloatingStream<double>> network(small_shape(2), 7);
    CHECK(finite_difference_error(network, small_batch(), method, 2, random) < 1e-6);
  }
}

TEST_CASE("the reversible network is not the residual one in disguise: same weights, other gradients") {
  Network<FloatingStream<double>> network(small_shape(1), 7);
  CHECK(gradient_distance(network, small_batch(), Method::kReversibleStored, Method::kResidualStored) > 0.01);
}

TEST_CASE(
    "rebuilt activations give the gradients of stored ones: to rounding in floating point, to the bit in fixed point") {
  Network<FloatingStream<double>> floating(small_shape(6), 7);
  CHECK(gradient_distance(floating, small_batch(), Method::kReversibleRebuilt, Method::kReversibleStored) < 1e-13);
  Network<FixedPointStream<float>> fixed(small_shape(6), 7);
  CHECK(gradient_distance(fixed, small_batch(), Method::kReversibleRebuilt, Method::kReversibleStored) == 0);
  Network<FloatingStream<float>> residual(small_shape(6), 7);
  CHECK(gradient_distance(residual, small_batch(), Method::kResidualRecomputed, Method::kResidualStored) == 0);
}

TEST_CASE("fixed-point streams come back to the bit, and wrap without harm where weights are absurd") {
  for (const double gain : {0.1, 1.0, 30.0}) {
    CAPTURE(gain);
    const Shape shape = small_shape(5);
    using Stack = ReversibleStack<FixedPointStream<float>>;
    Ledger ledger;
    const auto parameters = random_parameters<float>(ledger, shape, 7, gain);
    const auto before = Stack::split(embed(parameters, small_batch(), ledger));
    auto streams = before;
    Stack stack(parameters.blocks, shape, Keep::kNothing);
    stack.forward(streams);
    const bool moved = !std::ranges::equal(streams.first.elements(), before.first.elements());
    CHECK(moved);
    stack.invert(streams);
    CHECK(std::ranges::equal(streams.first.elements(), before.first.elements()));
    CHECK(std::ranges::equal(streams.second.elements(), before.second.elements()));
  }
}

TEST_CASE("a rebuilt step takes the same activation memory at any depth, a stored one the same for each block more") {
  using Stream = FloatingStream<float>;
  CHECK(peak<Stream>(Method::kReversibleRebuilt, 1) == peak<Stream>(Method::kReversibleRebuilt, 7));
  for (const Method method : {Method::kResidualStored, Method::kReversibleStored}) {
    const std::size_t two = peak<Stream>(method, 2), four = peak<Stream>(method, 4), six = peak<Stream>(method, 6);
    CHECK(four - two == six - four);
    CHECK(four > two);
  }
}

TEST_CASE("the growth of a stored block is what its tapes hold") {
  // by hand, in floats, for 10 tokens of width 6 with 2 heads and 5 places: each sublayer keeps its normal values (6) and
  // deviation (1); attention keeps queries, keys and values (18), shares (2 heads x 5) and mixed values (6); the MLP keeps
  // its hidden layer before and after (24 each): 2 * 7 + 34 + 48 = 96 a token
  using Stream = FloatingStream<float>;
  const std::size_t grown = peak<Stream>(Method::kResidualStored, 4) - peak<Stream>(Method::kResidualStored, 3);
  CHECK(grown == 10 * 96 * sizeof(float));
}

TEST_CASE("a step gives back all the memory it took") {
  for (const Method method : kMethods) {
    Network<FixedPointStream<float>> network(small_shape(2), 7);
    network.step(method, small_batch());
    CHECK(network.activations().live == 0);
    CHECK(network.activations().peak > 0);
  }
}
