#pragma once
// What a chip of a machine costs by the catalog: rented, or owned.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace ridge {

struct ChipPrice {
  Sourced<DollarsPerSecond<double>> price;
  std::optional<Ownership> owned;  // what it is made of, where it is an owner's
};

/// `basis`: "rental" or "owned"; where nobody chose, the rental if the catalog has one.
Result<ChipPrice> chip_price(const Machine& machine, const std::optional<std::string>& basis);

}  // namespace ridge
