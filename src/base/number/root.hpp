#pragma once
// Square roots of quantities: the root of square seconds is seconds.

#include "base/number/units.hpp"

namespace ridge {

constexpr bool has_root(Dimension d) {
  return d.byte % 2 == 0 && d.flop % 2 == 0 && d.second % 2 == 0 && d.dollar % 2 == 0 && d.token % 2 == 0 &&
         d.param % 2 == 0 && d.joule % 2 == 0;
}

constexpr Dimension root_of(Dimension d) {
  const auto half = [](int x) { return static_cast<std::int8_t>(x / 2); };
  return {half(d.byte), half(d.flop), half(d.second), half(d.dollar), half(d.token), half(d.param), half(d.joule)};
}

template <Dimension D, class S>
requires(has_root(D)) constexpr Quantity<root_of(D), S> root(const Quantity<D, S>& a) {
  using ridge::sqrt;
  return Quantity<root_of(D), S>(sqrt(a.value()));
}

}  // namespace ridge
