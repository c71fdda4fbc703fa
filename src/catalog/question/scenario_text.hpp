#pragma once
// Scenarios from words: command-line flags, a TOML file, or the lines a web page sends all end in set_option.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/interval.hpp"
#include "base/result.hpp"
#include "catalog/facts/fact.hpp"
#include "roofline/answer.hpp"

namespace ridge::catalog {

/// Sets one option: model, machine, weights, experts, attention, kv, price, or the key of any input ("batch",
/// "hbm.bandwidth"). `where` names the place in errors and becomes the provenance of a number.
Result<bool> set_option(Scenario& scenario, std::string_view key, std::string_view text, std::string_view where);

/// The same over a scenario that is there already: a new machine, model or format also drops the numbers that the old
/// one had put in (a saved scenario holds them all).
Result<bool> override_option(Scenario& scenario, std::string_view key, std::string_view text, std::string_view where);

/// "hbm=6.5..8 TB/s": an input and the range it lies in.
struct RangeText {
  std::string key;
  std::string low, high;
};
Result<RangeText> split_range(std::string_view text, std::string_view where);
/// The range in base units, for an input of the given dimension.
Result<Interval> parse_range(const RangeText& range, Dimension dimension, std::string_view where);

/// One fact of a scenario file: a choice, or an input with its source.
void set_fact(Scenario& scenario, const Fact& fact, Errors& errors);

/// A scenario file (TOML), option by option, and back: every number of the resolved case, with its source.
Result<Scenario> read_scenario(std::string_view text, std::string_view place);
std::string write_scenario(const WhyAnswer& answer);

}  // namespace ridge::catalog
