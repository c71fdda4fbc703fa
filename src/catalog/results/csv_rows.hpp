#pragma once
// Rows of comma-separated text: quotes around cells, doubled quotes and line ends inside them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ridge::catalog {

struct CsvRow {
  std::size_t line = 1;  // where it starts
  std::vector<std::string> cells;
};

/// Blank lines are rows without cells. A quote that is never closed, or more than 100,000 rows or 10,000 cells in one: an
/// error.
Result<std::vector<CsvRow>> csv_rows(std::string_view text, std::string_view place);

}  // namespace ridge::catalog
