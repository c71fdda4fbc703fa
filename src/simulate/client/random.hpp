#pragma once
// Numbers at random from a seed, the same on every machine: a generator of our own (xoshiro256**, Blackman and Vigna 2018),
// and draws made of whole numbers and base/number/elementary.hpp alone.

#include <cmath>
#include <cstdint>

#include "base/number/elementary.hpp"

namespace ridge::simulate {

/// One number out of another, well mixed (splitmix64).
constexpr std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}
constexpr std::uint64_t mixed(std::uint64_t one, std::uint64_t other) { return mixed(mixed(one) ^ other); }

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (auto& word : state_) word = seed = mixed(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = turned(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = turned(state_[3], 45);
    return result;
  }

  /// Above 0, at most 1.
  double share() { return (static_cast<double>(next() >> 11) + 1) * 0x1p-53; }

  /// A whole number from `low` to `high`, both included, all alike (but for 2^-32 of bias).
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(((next() >> 32) * span) >> 32);
  }

  /// With mean 1.
  double exponential() { return -elementary::log(share()); }

  double normal() {  // Marsaglia's polar way; its second number is dropped, so that no draw hangs on the one before
    for (;;) {
      const double x = 2 * share() - 1, y = 2 * share() - 1, length = x * x + y * y;
      if (length > 0 && length < 1) return x * std::sqrt(-2 * elementary::log(length) / length);
    }
  }

  /// With mean 1 and variance 1 / shape (Marsaglia and Tsang 2000).
  double gamma(double shape) {
    if (shape < 1) {
      const double larger = gamma(shape + 1) * (shape + 1);
      return larger * elementary::exp(elementary::log(share()) / shape) / shape;
    }
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), v = (1 + c * x) * (1 + c * x) * (1 + c * x);
      if (v <= 0) continue;
      if (elementary::log(share()) < 0.5 * x * x + d - d * v + d * elementary::log(v)) return d * v / shape;
    }
  }

 private:
  static constexpr std::uint64_t turned(std::uint64_t value, int by) { return (value << by) | (value >> (64 - by)); }

  std::uint64_t state_[4];
};

}  // namespace ridge::simulate
