#pragma once
// Numbers of a trace, exact: a time with nine digits after the point, far from its epoch, does not fit a double.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulate/clock.hpp"

namespace ridge::catalog {

/// A decimal number times 10^power, to the nearest whole one; nothing where it is none, or beyond nine quintillion.
std::optional<std::int64_t> scaled_decimal(std::string_view text, int power);

/// A whole number of at most 20 digits that fits 64 bits.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// "2023-11-16 18:15:46.6805900", with "T" for the space and a zone (Z, +00:00) where there is one: after 1970.
std::optional<simulate::Nanoseconds> date_and_time(std::string_view text);

/// Why a text is no number that was measured: "is empty", "NaN is not finite", "\"x\" is no number", "-1 is negative";
/// `otherwise` where nothing is wrong with the number itself.
std::string number_trouble(std::string_view text, std::string_view otherwise);

}  // namespace ridge::catalog
