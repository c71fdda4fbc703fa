#pragma once
// Large numbers and long times as people say them.

#include <string>
#include <string_view>

#include "base/number/units.hpp"

namespace ridge::report {

/// "100B", "259T": parameters, tokens.
std::string count_text(double value, int digits = 3);
template <Dimension D>
std::string count_text(const Quantity<D, double>& quantity) {
  return count_text(quantity.value());
}

/// "1 sequence", "1,024 sequences".
std::string plural(double count, std::string_view word);

/// "GPU" for a machine whose title says so ("HGX H100, 8 GPUs"), else "chip"; with a count "4 GPUs".
std::string chip_word(std::string_view machine_title);
std::string chips_text(double chips, std::string_view machine_title);
/// The title without its count of chips: "HGX H100".
std::string machine_kind(std::string_view machine_title);

/// "60 days": a time in words.
std::string time_text(const Seconds<double>& time);

}  // namespace ridge::report
