#pragma once
// Large numbers as people say them.

#include <string>

#include "base/units.hpp"

namespace ridge::report {

/// "100G", "259T": parameters, tokens, dollars.
std::string count_text(double value, int digits = 3);
template <Dimension D>
std::string count_text(const Quantity<D, double>& quantity) {
  return count_text(quantity.value());
}

}  // namespace ridge::report
