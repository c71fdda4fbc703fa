#pragma once
// Arrays of doubles in and out of lanes; only for files that are compiled once per instruction set.

#include <cstddef>

#include "base/number/lanes.hpp"
#include "search/lanes/flatten.hpp"

namespace ridge {

/// Fills one register from `values`, repeating the last case where fewer than a register's worth are left.
inline Lanes load_some(const double* values, std::size_t left) {
  if (left >= static_cast<std::size_t>(Lanes::size())) return Lanes::load(values);
  double padded[Lanes::size()];
  for (std::size_t i = 0; i < static_cast<std::size_t>(Lanes::size()); ++i) padded[i] = values[i < left ? i : left - 1];
  return Lanes::load(padded);
}

inline void store_some(const Lanes& lanes, double* to, std::size_t left) {
  if (left >= static_cast<std::size_t>(Lanes::size())) return lanes.store(to);
  double padded[Lanes::size()];
  lanes.store(padded);
  for (std::size_t i = 0; i < left; ++i) to[i] = padded[i];
}

}  // namespace ridge
