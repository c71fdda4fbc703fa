#pragma once
// Quantities as people write them: "141 GB", "192 GiB", "4.8 TB/s", "$2.10/h", "20 ms", "32k tokens".
// GB is 10^9 and GiB 2^30, always. A bare number where a unit is needed is an error that shows the possible readings.

#include <string>
#include <string_view>

#include "base/number/dimension.hpp"
#include "base/number/units.hpp"
#include "base/result.hpp"

namespace ridge {

/// A number in base units (B, FLOP, s, $, token, param, J) and what it measures.
struct Measure {
  double value = 0.0;
  Dimension dimension;

  bool operator==(const Measure&) const = default;
};

/// Reads a number with an optional unit. `where` is put into the error.
Result<Measure> parse_measure(std::string_view text, std::string_view where);

/// Reads a quantity of one dimension; anything else is an error naming the unit that is needed.
Result<double> parse_as(std::string_view text, Dimension dimension, std::string_view where);

template <class Q>
struct ParseQuantity;
template <Dimension D>
struct ParseQuantity<Quantity<D, double>> {
  static Result<Quantity<D, double>> from(std::string_view text, std::string_view where) {
    return parse_as(text, D, where).map([](double value) { return Quantity<D, double>(value); });
  }
};
/// parse<Bytes<double>>("141 GB", "hbm.capacity")
template <class Q>
Result<Q> parse(std::string_view text, std::string_view where) {
  return ParseQuantity<Q>::from(text, where);
}

/// The base unit in words: "B/s", "FLOP/param"; empty for a count.
std::string unit_name(Dimension dimension);

/// A typical value with its unit, for hints: "4.8 TB/s".
std::string unit_example(Dimension dimension);

/// How a value is written for people: scale, then the unit with its prefix ("8 TB/s" is 8 and "TB/s").
struct DisplayUnit {
  double scale = 1.0;  // shown number = value / scale
  std::string name;
};
DisplayUnit display_unit(double value, Dimension dimension);

/// "2.252 ms", "8 TB/s", "$0.077/Mtok", "2,048"; infinity is "unbounded".
std::string show(double value, Dimension dimension, int digits = 4);
template <Dimension D>
std::string show(const Quantity<D, double>& quantity, int digits = 4) {
  return show(quantity.value(), D, digits);
}

/// Dollars as people write them: "$0.47", "$12.50", "$54,000", "$1.2M".
std::string money(double dollars, int digits = 3);

/// Memory for people, always in GiB: "79.6 GiB", "13,322 GiB".
std::string show_gib(double bytes);

}  // namespace ridge
