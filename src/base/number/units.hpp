#pragma once
// Quantities: a scalar of any reading with its dimension in the type. Bytes<S> / BytesPerSecond<S> is Seconds<S>;
// Bytes + Seconds does not compile. A Quantity is exactly as large and as fast as its scalar.

#include <concepts>
#include <string_view>
#include <utility>

#include "base/number/dimension.hpp"
#include "base/number/scalar.hpp"

namespace ridge {

template <Dimension D, class S>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit(D != kNone) Quantity(S value) : value_(std::move(value)) {}

  /// The bare number in base units; only for the edges (parsing, printing, fitting), never inside an equation.
  constexpr const S& value() const { return value_; }

  friend constexpr Quantity operator+(const Quantity& a, const Quantity& b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(const Quantity& a, const Quantity& b) { return Quantity(a.value_ - b.value_); }

  friend constexpr Quantity operator*(double factor, const Quantity& a) { return Quantity(S(factor) * a.value_); }
  friend constexpr Quantity operator*(const Quantity& a, double factor) { return Quantity(a.value_ * S(factor)); }
  friend constexpr Quantity operator/(const Quantity& a, double divisor) { return Quantity(a.value_ / S(divisor)); }

  friend constexpr Quantity max(const Quantity& a, const Quantity& b) {
    using ridge::max;
    return Quantity(max(a.value_, b.value_));
  }
  friend constexpr Quantity min(const Quantity& a, const Quantity& b) {
    using ridge::min;
    return Quantity(min(a.value_, b.value_));
  }

  friend constexpr auto operator<=>(const Quantity& a, const Quantity& b) requires std::same_as<S, double> {
    return a.value_ <=> b.value_;
  }
  friend constexpr bool operator==(const Quantity& a, const Quantity& b) requires std::same_as<S, double> {
    return a.value_ == b.value_;
  }

 private:
  S value_{0.0};
};

template <Dimension A, Dimension B, class S>
constexpr Quantity<A * B, S> operator*(const Quantity<A, S>& a, const Quantity<B, S>& b) {
  return Quantity<A * B, S>(a.value() * b.value());
}

template <Dimension A, Dimension B, class S>
constexpr Quantity<A / B, S> operator/(const Quantity<A, S>& a, const Quantity<B, S>& b) {
  return Quantity<A / B, S>(a.value() / b.value());
}

/// a / b, or "there is none" (infinite, with the sign of a) where b is not positive.
template <Dimension A, Dimension B, class S>
constexpr Quantity<A / B, S> divide_or_unbounded(const Quantity<A, S>& a, const Quantity<B, S>& b) {
  using ridge::divide_or_unbounded;
  return Quantity<A / B, S>(divide_or_unbounded(a.value(), b.value()));
}

template <class S>
using Ratio = Quantity<kNone, S>;  // a count or a share

template <class S>
constexpr Ratio<S> pow(const Ratio<S>& base, const Ratio<S>& exponent) {
  using ridge::pow;
  return Ratio<S>(pow(base.value(), exponent.value()));
}

template <class S>
constexpr Ratio<S> sqrt(const Ratio<S>& a) {
  using ridge::sqrt;
  return Ratio<S>(sqrt(a.value()));
}

template <class S>
constexpr Ratio<S> log(const Ratio<S>& a) {
  using ridge::log;
  return Ratio<S>(log(a.value()));
}

/// The x >= 0 with x (1 + m x)^q = c.
template <class S>
constexpr Ratio<S> balance(const Ratio<S>& c, const Ratio<S>& m, const Ratio<S>& q) {
  using ridge::balance;
  return Ratio<S>(balance(c.value(), m.value(), q.value()));
}

template <class S>
using Bytes = Quantity<kByte, S>;
template <class S>
using Flops = Quantity<kFlop, S>;
template <class S>
using Seconds = Quantity<kSecond, S>;
template <class S>
using Dollars = Quantity<kDollar, S>;
template <class S>
using Tokens = Quantity<kToken, S>;
template <class S>
using Params = Quantity<kParam, S>;
template <class S>
using Joules = Quantity<kJoule, S>;
template <class S>
using BytesPerSecond = Quantity<kByte / kSecond, S>;
template <class S>
using FlopsPerSecond = Quantity<kFlop / kSecond, S>;
template <class S>
using BytesPerParam = Quantity<kByte / kParam, S>;
template <class S>
using BytesPerToken = Quantity<kByte / kToken, S>;
template <class S>
using FlopsPerToken = Quantity<kFlop / kToken, S>;
template <class S>
using FlopsPerParam = Quantity<kFlop / kParam, S>;
template <class S>
using FlopsPerParamToken = Quantity<kFlop / kParam / kToken, S>;
template <class S>
using TokensPerParam = Quantity<kToken / kParam, S>;
template <class S>
using TokensPerSecond = Quantity<kToken / kSecond, S>;
template <class S>
using DollarsPerSecond = Quantity<kDollar / kSecond, S>;
template <class S>
using DollarsPerToken = Quantity<kDollar / kToken, S>;
template <class S>
using DollarsPerJoule = Quantity<kDollar / kJoule, S>;
template <class S>
using Watts = Quantity<kJoule / kSecond, S>;
template <class S>
using PerSecond = Quantity<inverse(kSecond), S>;

/// The identity; on Traced it names a line of the derivation.
template <class S>
constexpr S name_scalar(std::string_view, Dimension, const S& scalar) {
  return scalar;
}
template <Dimension D, class S>
constexpr Quantity<D, S> named(std::string_view symbol, const Quantity<D, S>& quantity) {
  return Quantity<D, S>(name_scalar(symbol, D, quantity.value()));
}

/// A number that belongs to the formula itself or to a step's layout, with its unit.
template <class S>
constexpr S literal_scalar(const S*, double value, Dimension) {
  return S(value);
}
template <class Q>
struct LiteralOf;
template <Dimension D, class S>
struct LiteralOf<Quantity<D, S>> {
  static constexpr Quantity<D, S> make(double value) {
    return Quantity<D, S>(literal_scalar(static_cast<const S*>(nullptr), value, D));
  }
};
template <class Q>
constexpr Q literal(double value) {
  return LiteralOf<Q>::make(value);
}

namespace literals {
constexpr Bytes<double> operator""_GB(long double x) { return Bytes<double>(static_cast<double>(x) * 1e9); }
constexpr Bytes<double> operator""_GB(unsigned long long x) { return Bytes<double>(static_cast<double>(x) * 1e9); }
constexpr Bytes<double> operator""_GiB(long double x) { return Bytes<double>(static_cast<double>(x) * 0x1p30); }
constexpr Bytes<double> operator""_GiB(unsigned long long x) { return Bytes<double>(static_cast<double>(x) * 0x1p30); }
constexpr Seconds<double> operator""_ms(long double x) { return Seconds<double>(static_cast<double>(x) / 1e3); }
constexpr Seconds<double> operator""_ms(unsigned long long x) { return Seconds<double>(static_cast<double>(x) / 1e3); }
constexpr Tokens<double> operator""_tokens(unsigned long long x) { return Tokens<double>(static_cast<double>(x)); }
}  // namespace literals

}  // namespace ridge
