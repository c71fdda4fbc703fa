#pragma once
// Large numbers and long times as people say them.

#include <string>

#include "base/units.hpp"

namespace ridge::report {

/// "100G", "259T": parameters, tokens, dollars.
std::string count_text(double value, int digits = 3);
template <Dimension D>
std::string count_text(const Quantity<D, double>& quantity) {
  return count_text(quantity.value());
}

/// "60 days": a time in words.
std::string time_text(const Seconds<double>& time);

}  // namespace ridge::report
