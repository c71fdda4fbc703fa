#pragma once
// What a number is measured in, as a value: usable as a template argument (checked by the compiler) and at run time
// (for parsing, printing and derivations).

namespace ridge {

/// Exponents of the base units. A count, a share or a number of chips has none of them.
struct Dimension {
  int byte = 0, flop = 0, second = 0, dollar = 0, token = 0, param = 0, joule = 0;

  constexpr bool operator==(const Dimension&) const = default;
};

constexpr Dimension operator*(Dimension a, Dimension b) {
  return {a.byte + b.byte,   a.flop + b.flop,   a.second + b.second, a.dollar + b.dollar,
          a.token + b.token, a.param + b.param, a.joule + b.joule};
}

constexpr Dimension inverse(Dimension a) {
  return {-a.byte, -a.flop, -a.second, -a.dollar, -a.token, -a.param, -a.joule};
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
