#pragma once
// The inputs of an owned chip's price, in any reading; the decode case knows only the price itself.

#include <array>
#include <string_view>

#include "base/number/dimension.hpp"
#include "cost/money.hpp"
#include "machine/machine.hpp"

namespace ridge {

struct OwnedInput {
  std::string_view key, symbol, meaning;
  Dimension dimension;
  double value = 0.0;
  Provenance from;
};

inline constexpr std::size_t kOwnedInputs = 6;

template <Dimension D>
OwnedInput owned_input(std::string_view key, std::string_view symbol, std::string_view meaning,
                       const Sourced<Quantity<D, double>>& fact) {
  return {key, symbol, meaning, D, fact.value.value(), fact.from};
}

inline std::array<OwnedInput, kOwnedInputs> owned_inputs(const Ownership& owned) {
  return {owned_input("owned.capex", "capex", "price of the chip and its share of the rack", owned.capex),
          owned_input("owned.life", "life", "years in service", owned.life),
          owned_input("owned.power", "power", "power of the chip and its share of the rack", owned.power),
          owned_input("owned.pue", "PUE", "power of the building over that of the machines", owned.pue),
          owned_input("owned.electricity", "electricity", "price of energy", owned.electricity),
          owned_input("owned.cost_of_capital", "rate", "cost of capital a year", owned.cost_of_capital)};
}

/// The ownership in another reading: make(index, input) supplies each scalar, in the order of owned_inputs.
template <class S, class Make>
OwnershipCase<S> owned_as(const Ownership& owned, Make&& make) {
  const auto inputs = owned_inputs(owned);
  const auto scalar = [&](std::size_t index) { return make(index, inputs[index]); };
  return {.capex = Dollars<S>(scalar(0)),
          .life = Seconds<S>(scalar(1)),
          .power = Watts<S>(scalar(2)),
          .pue = Ratio<S>(scalar(3)),
          .electricity = DollarsPerJoule<S>(scalar(4)),
          .cost_of_capital = Ratio<S>(scalar(5))};
}

/// As the catalog has it.
inline OwnershipCase<double> owned_numbers(const Ownership& owned) {
  return owned_as<double>(owned, [](std::size_t, const OwnedInput& input) { return input.value; });
}

}  // namespace ridge
