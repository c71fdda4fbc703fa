#pragma once
// What a probed machine may cost, which nobody can measure: the on-demand price of the catalog's nearest machine.

#include <optional>
#include <string>

#include "library/library.hpp"

namespace ridge {

/// For a chip and an hour.
struct ProbedPrice {
  double dollars = 0;
  std::string source;  // empty: as the user says
  std::string note;
};

/// What the price goes by.
struct ProbedSize {
  bool is_cpu = true;
  double threads = 1;    // of a CPU: its price is that of as many threads of the other
  double bandwidth = 0;  // of a GPU, bytes a second
};

/// Nothing where the catalog has no such machine with a price.
std::optional<ProbedPrice> price_like(const ProbedSize& size, const Library& library);

}  // namespace ridge
