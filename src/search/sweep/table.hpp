#pragma once
// What a sweep computes: columns by name, and the rows of a stretch of cases.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/dimension.hpp"
#include "base/result.hpp"

namespace ridge {

/// A column that a sweep knows. `which` counts within its kind.
struct SweepColumn {
  enum class Kind { index, word, input, output, fits, binds, problem };
  enum class Holds { number, count, flag, text };

  std::string name;
  Kind kind = Kind::index;
  std::size_t which = 0;
  Dimension dimension{};
  Holds holds = Holds::number;
  bool more_is_better = false;  // for --best and --pareto
};

/// A column by its name or an alias; the nearest names where there is none.
Result<SweepColumn> find_column(std::string_view name, const std::vector<SweepColumn>& known, std::string_view where);

inline constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();  // a cell without a number

/// Values of one column; NaN and infinity where there is none. Only one of the two is filled.
struct TableColumn {
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

/// Rows of consecutive cases.
struct SweepTable {
  std::uint64_t first = 0;
  std::size_t rows = 0;
  std::vector<TableColumn> columns;
};

/// A condition on one column of a table: "tpot<30ms", "machine=hgx-h100".
struct Condition {
  enum class Test { less, at_most, more, at_least, equal, unequal };

  std::size_t column = 0;  // in the table
  Test test = Test::less;
  double number = 0.0;
  std::string text;
  bool is_text = false;
};

/// Which rows meet all conditions: 1 for each that does, 0 for the others. What does not exist meets none.
void find_kept(const std::vector<Condition>& conditions, const SweepTable& table, std::vector<char>& kept);

}  // namespace ridge
