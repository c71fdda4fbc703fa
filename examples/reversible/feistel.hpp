#pragma once
// A Feistel network: a permutation of messages made of functions that need not be invertible themselves.
//
//   one round    (left, right) -> (right, left + f(right))
//   undone       (a, b)        -> (b - f(a), a)
//
// The half that f reads passes through untouched, so whoever undoes the round can evaluate f again and take it off.
// Two rounds are one reversible block of a neural network: y1 = x1 + F(x2), y2 = x2 + G(y1); see reversible_stack.hpp.
// Source: H. Feistel, Scientific American 228(5), 1973; M. Luby and C. Rackoff, SIAM J. Computing 17(2), 1988.

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace reversible {

template <class Half>
struct Message {
  Half left, right;
  bool operator==(const Message&) const = default;
};

/// Anything that turns one half into something of the other's size: constant, lossy, as bad a function as you like.
template <class Half>
using RoundFunction = std::function<Half(const Half&)>;

/// How f's value is mixed in: exclusive or, as ciphers do. Any group will do; `leave` undoes `join`.
struct ExclusiveOr {
  template <std::unsigned_integral Word>
  static Word join(Word a, Word b) {
    return static_cast<Word>(a ^ b);
  }
  template <std::unsigned_integral Word>
  static Word leave(Word a, Word b) {
    return static_cast<Word>(a ^ b);
  }
};

/// Addition modulo 2^bits, as the fixed-point networks of streams.hpp do.
struct WrappingSum {
  template <std::unsigned_integral Word>
  static Word join(Word a, Word b) {
    return static_cast<Word>(a + b);
  }
  template <std::unsigned_integral Word>
  static Word leave(Word a, Word b) {
    return static_cast<Word>(a - b);
  }
};

template <class Mixing, std::unsigned_integral Word>
Word join(Word a, Word b) {
  return Mixing::join(a, b);
}

template <class Mixing, std::unsigned_integral Word>
Word leave(Word a, Word b) {
  return Mixing::leave(a, b);
}

/// Halves of any length are mixed word by word.
template <class Mixing, class Word>
std::vector<Word> join(std::vector<Word> a, const std::vector<Word>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = Mixing::join(a[i], b[i]);
  return a;
}

template <class Mixing, class Word>
std::vector<Word> leave(std::vector<Word> a, const std::vector<Word>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = Mixing::leave(a[i], b[i]);
  return a;
}

template <class Mixing, class Half>
Message<Half> encipher(Message<Half> message, std::span<const RoundFunction<Half>> rounds) {
  for (const auto& f : rounds) message = {message.right, join<Mixing>(message.left, f(message.right))};
  return message;
}

/// The same functions from the last to the first; nothing asks for the inverse of f.
template <class Mixing, class Half>
Message<Half> decipher(Message<Half> message, std::span<const RoundFunction<Half>> rounds) {
  for (std::size_t i = rounds.size(); i-- > 0;) {
    message = {leave<Mixing>(message.right, rounds[i](message.left)), message.left};
  }
  return message;
}

}  // namespace reversible
