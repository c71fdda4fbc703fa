#pragma once
// What two times to live say of a cache. A provider asks w(t) for input that is kept for a time t. If that is the price
// of fresh input, a premium for the write and a price for each second kept, two such prices fix both.

#include "base/number/units.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge {

/// The two parts of w(t) = input + premium + hold t.
template <class S>
struct CacheTariff {
  DollarsPerToken<S> premium{};     // of a write over fresh input; below zero where keeping is given away at first
  DollarsPerTokenSecond<S> hold{};  // below zero where the longer time is the cheaper one
};

/// What a write costs, by the time that the sheet keeps it.
template <class S>
struct WritePrice {
  Seconds<S> keep{};
  DollarsPerToken<S> price{};
};

/// The tariff through two prices of a write. The times must differ. Prices are sums of what the two parts cost and of a
/// margin, so this reads a price, not a cost. Derived in docs/theory/tiers.md.
template <class S>
CacheTariff<S> two_ttls(const DollarsPerToken<S>& input, const WritePrice<S>& first, const WritePrice<S>& second) {
  const auto hold = named("hold", (second.price - first.price) / (second.keep - first.keep));
  return {.premium = named("premium", first.price - input - hold * first.keep), .hold = hold};
}

/// What a write costs under a tariff.
template <class S>
DollarsPerToken<S> write_price(const CacheTariff<S>& tariff, const DollarsPerToken<S>& input, const Seconds<S>& keep) {
  return input + tariff.premium + tariff.hold * keep;
}

}  // namespace ridge
