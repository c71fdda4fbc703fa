#pragma once
// What a chip costs by the second.

#include "base/number/units.hpp"

namespace ridge {

template <class S>
struct OwnershipCase {
  Dollars<S> capex;
  Seconds<S> life;
  Watts<S> power;
  Ratio<S> pue;
  DollarsPerJoule<S> electricity;
  Ratio<S> cost_of_capital;  // a year
};

template <class S>
struct OwnedPrice {
  DollarsPerSecond<S> depreciation, interest, energy;
  DollarsPerSecond<S> total() const { return named("p", depreciation + interest + energy); }
};

/// Straight-line depreciation, interest on half the price (what is tied up on average over the life), and energy.
/// The chip is paid for around the clock; idle time is the utilization of the case that uses the price.
template <class S>
OwnedPrice<S> owned_price(const OwnershipCase<S>& owned) {
  const auto year = literal<Seconds<S>>(365.25 * 86400);
  return {.depreciation = named("depreciation", owned.capex / owned.life),
          .interest = named("interest", owned.capex * owned.cost_of_capital / (literal<Ratio<S>>(2.0) * year)),
          .energy = named("energy", owned.power * owned.pue * owned.electricity)};
}

}  // namespace ridge
