#pragma once
// What a number is measured in, as a value: usable as a template argument (checked by the compiler) and at run time
// (for parsing, printing and derivations).

#include <cstdint>

namespace ridge {

/// Exponents of the base units. A count, a share or a number of chips has none of them.
struct Dimension {
  std::int8_t byte = 0, flop = 0, second = 0, dollar = 0, token = 0, param = 0, joule = 0;

  constexpr bool operator==(const Dimension&) const = default;
};

constexpr Dimension operator*(Dimension a, Dimension b) {
  const auto sum = [](int x, int y) { return static_cast<std::int8_t>(x + y); };
  return {sum(a.byte, b.byte),   sum(a.flop, b.flop),   sum(a.second, b.second), sum(a.dollar, b.dollar),
          sum(a.token, b.token), sum(a.param, b.param), sum(a.joule, b.joule)};
}

constexpr Dimension inverse(Dimension a) {
  const auto minus = [](int x) { return static_cast<std::int8_t>(-x); };
  return {minus(a.byte),  minus(a.flop),  minus(a.second), minus(a.dollar),
          minus(a.token), minus(a.param), minus(a.joule)};
}

constexpr Dimension operator/(Dimension a, Dimension b) { return a * inverse(b); }

inline constexpr Dimension kNone{};
inline constexpr Dimension kByte{.byte = 1};
inline constexpr Dimension kFlop{.flop = 1};
inline constexpr Dimension kSecond{.second = 1};
inline constexpr Dimension kDollar{.dollar = 1};
inline constexpr Dimension kToken{.token = 1};
inline constexpr Dimension kParam{.param = 1};
inline constexpr Dimension kJoule{.joule = 1};

}  // namespace ridge
