#pragma once
// What a price says of itself.

#include "library/chip_price.hpp"

namespace ridge {

/// The basis that a price says it has; nothing where it was given as a number, or nobody says under which contract.
std::optional<PriceBasis> basis_of(const Provenance& price);

/// Filled from another contract, or somebody's guess.
inline bool is_assumed(const ChipPrice& price) { return price.filled || price.price.from.kind == Kind::assumed; }

}  // namespace ridge
