#pragma once
// Every fitted number with its meaning, unit, value, spread, and what fitting it bought: `ridge validate --numbers`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/judge/worth.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

/// A number of a chip, of the kernels or of an engine, in all of them.
struct ListedNumber {
  std::string of, name, meaning, unit;
  struct Value {
    std::string owner;  // "b200", "vllm"; of kernels "alone" and "in a step"
    FittedNumber number;
  };
  std::vector<Value> values;
  double step_ratio = 0, step_spread = 0;  // of a chip's: inside a captured step over alone
};

/// Chips, then kernels, then engines, each in the order of its fields.
std::vector<ListedNumber> listed_numbers(const Library& library);

/// What a number is, in a few words; empty for a name that is none.
std::string_view meaning_of_number(std::string_view name);

std::string numbers_text(const std::vector<ListedNumber>& numbers, const std::optional<Worth>& worth,
                         const Style& style);
std::string numbers_page(const std::vector<ListedNumber>& numbers, const std::optional<Worth>& worth);
std::string numbers_json(const std::vector<ListedNumber>& numbers, const std::optional<Worth>& worth, bool with_page);

}  // namespace ridge::report
