#pragma once
// Rows of a sweep as bytes: CSV, JSON Lines, or packed for a database to unpack.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "search/sweep/table.hpp"

namespace ridge::report {

enum class RowFormat { csv, json_lines, sqlite };
std::string_view name_of(RowFormat format);
Result<RowFormat> parse_row_format(std::string_view word, std::string_view where);

/// What stands before the first row.
std::string rows_header(const std::vector<SweepColumn>& columns, RowFormat format);

/// The first columns.size() columns of those rows that meet all conditions. Numbers are in base units with every digit;
/// what does not exist is empty, or null.
std::string rows_text(const SweepTable& table, const std::vector<SweepColumn>& columns,
                      const std::vector<Condition>& conditions, RowFormat format);

/// A cell of a packed row.
struct PackedCell {
  enum class Type : char { none = 0, number = 1, count = 2, text = 3 };
  Type type = Type::none;
  double number = 0.0;
  std::string_view text;
};
/// The cell at `at`, which moves on behind it. The bytes are from rows_text.
PackedCell next_cell(std::string_view packed, std::size_t& at);

}  // namespace ridge::report
