#include "search/table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace ridge {

namespace {

template <class T>
bool compare(Condition::Test test, const T& a, const T& b) {
  switch (test) {
    case Condition::Test::less:
      return a < b;
    case Condition::Test::at_most:
      return a <= b;
    case Condition::Test::more:
      return a > b;
    case Condition::Test::at_least:
      return a >= b;
    case Condition::Test::equal:
      return a == b;
    case Condition::Test::unequal:
      return !(a == b);
  }
  return false;
}

}  // namespace

Result<SweepColumn> find_column(std::string_view name, const std::vector<SweepColumn>& known, std::string_view where) {
  const auto named = [&](std::string_view word) {
    return std::find_if(known.begin(), known.end(), [&](const SweepColumn& column) { return column.name == word; });
  };
  auto found = named(name);
  // a decode step is a token for every user
  if (found == known.end() && (name == "tpot" || name == "step")) found = named("step_time");
  if (found != known.end()) return *found;
  std::vector<std::string> names;
  for (const SweepColumn& column : known) names.push_back(column.name);
  return fail({std::string(where), fmt::format("unknown column \"{}\"", shortened(name)), suggestion(name, names)});
}

bool Condition::holds(const SweepTable& table, std::size_t row) const {
  const TableColumn& values = table.columns[column];
  if (is_text) return compare(test, values.texts[row], text);
  return !std::isnan(values.numbers[row]) && compare(test, values.numbers[row], number);
}

bool all_hold(const std::vector<Condition>& conditions, const SweepTable& table, std::size_t row) {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) { return condition.holds(table, row); });
}

}  // namespace ridge
