#pragma once
// Round functions drawn at random: none of them has an inverse.

#include <cstdint>
#include <random>
#include <vector>

#include "feistel.hpp"

namespace reversible {

/// Scrambles 64 bits (the finaliser of SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t scramble(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// Behaves as a random function of 32 bits: about a third of all values (1/e) are never taken, so there is no way back.
inline RoundFunction<std::uint32_t> random_function(std::uint64_t key) {
  return [key](const std::uint32_t& half) { return static_cast<std::uint32_t>(scramble(key ^ half) >> 32); };
}

/// Functions of halves of any length that no one could invert: a constant, a mask that forgets bits, a sum over all words
/// (every order of the words gives the same), and a hash that depends on everything.
template <class Word>
RoundFunction<std::vector<Word>> random_function(std::mt19937_64& random) {
  const std::uint64_t kind = random() % 4, key = random();
  return [kind, key](const std::vector<Word>& half) {
    std::uint64_t sum = key;
    for (const Word word : half) sum += kind == 3 ? scramble(sum ^ word) : word;
    std::vector<Word> result(half.size());
    for (std::size_t i = 0; i < half.size(); ++i) {
      const std::uint64_t value = kind == 0   ? key
                                  : kind == 1 ? (half[i] & key)
                                  : kind == 2 ? sum * sum
                                              : scramble(sum + i);
      result[i] = static_cast<Word>(value);
    }
    return result;
  };
}

}  // namespace reversible
