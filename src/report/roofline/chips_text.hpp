#pragma once
// `ridge chips`: the numbers that decide, of every machine and chip, on one screen, as JSON and as a chart.

#include <string>
#include <vector>

#include "report/base/style.hpp"
#include "roofline/chip_numbers.hpp"

namespace ridge::report {

struct ChipsReport {
  std::vector<ChipNumbers> numbers;  // filtered and in order
  std::vector<Generation> generations;
  double sparsity = 1;        // that ridge batches are multiplied by
  std::string sparsity_from;  // "DeepSeek-V3: 256 experts, 8 for a token"
  std::string basis;          // of prices
  std::string sorted_by;      // a key of chips_keys(), or "vendor"
  std::vector<std::string> notes;
};

/// What can be sorted by and drawn: a key, its meaning and the number; 0 where there is none.
struct ChipsKey {
  std::string_view key, title, unit;
  double (*value)(const ChipNumbers& one, double sparsity);
};
const std::vector<ChipsKey>& chips_keys();

std::string chips_text(const ChipsReport& report, const Style& style);
std::string chips_json(const ChipsReport& report);
/// Generations by year, a line for each vendor; of `sorted_by`, or of FLOP a byte.
std::string chips_svg(const ChipsReport& report);

}  // namespace ridge::report
