#pragma once
// The numbers that flow between reversible blocks, and the only two operations that must undo each other.

#include <cmath>
#include <cstdint>

#include "tensor.hpp"

namespace reversible {

/// Floating point: (x + f) - f is x only up to rounding.
template <class Float>
struct FloatingStream {
  using Real = Float;  // what F and G compute in
  using Word = Float;  // what flows between blocks

  static Word from_real(Real value) { return value; }
  static Real to_real(Word word) { return word; }
  static Word plus(Word word, Real value) { return word + value; }
  static Word minus(Word word, Real value) { return word - value; }
  static const Tensor<Real>& read(const Tensor<Word>& words) { return words; }
};

/// Fixed point in steps of 2^-20: F and G still compute in floating point and are rounded to whole steps; the sum wraps.
/// Integers forget nothing, so that the way back is exact, whatever F and G are. Values up to 2^11 = 2,048 are meaningful.
template <class Float>
struct FixedPointStream {
  using Real = Float;
  using Word = std::uint32_t;
  static constexpr Real kSteps = 1 << 20;

  static Word from_real(Real value) { return static_cast<Word>(std::llround(value * kSteps)); }
  static Real to_real(Word word) { return static_cast<Real>(static_cast<std::int32_t>(word)) / kSteps; }
  static Word plus(Word word, Real value) { return word + from_real(value); }
  static Word minus(Word word, Real value) { return word - from_real(value); }
  static Tensor<Real> read(const Tensor<Word>& words) {
    Tensor<Real> reals(words.ledger(), words.rows(), words.columns());
    for (std::size_t i = 0; i < words.elements().size(); ++i) reals.elements()[i] = to_real(words.elements()[i]);
    return reals;
  }
};

template <class Stream>
void add_to_stream(const Tensor<typename Stream::Real>& values, Tensor<typename Stream::Word>& words) {
  const auto from = values.elements();
  const auto to = words.elements();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = Stream::plus(to[i], from[i]);
}

template <class Stream>
void take_from_stream(const Tensor<typename Stream::Real>& values, Tensor<typename Stream::Word>& words) {
  const auto from = values.elements();
  const auto to = words.elements();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = Stream::minus(to[i], from[i]);
}

}  // namespace reversible
