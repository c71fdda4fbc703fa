#include "search/sweep/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

/// One comparison for a whole column, so that the loop holds nothing else.
template <class Values, class T>
void test_all(Condition::Test test, const Values& values, const T& limit, std::vector<char>& kept) {
  const auto each = [&](auto&& holds) {
    for (std::size_t row = 0; row < kept.size(); ++row)
      kept[row] = static_cast<char>(kept[row] & (holds(values[row]) ? 1 : 0));
  };
  switch (test) {
    case Condition::Test::less:
      return each([&](const T& value) { return value < limit; });
    case Condition::Test::at_most:
      return each([&](const T& value) { return value <= limit; });
    case Condition::Test::more:
      return each([&](const T& value) { return value > limit; });
    case Condition::Test::at_least:
      return each([&](const T& value) { return value >= limit; });
    case Condition::Test::equal:
      return each([&](const T& value) { return value == limit; });
    case Condition::Test::unequal:  // not a number is unequal to itself
      return each([&](const T& value) { return value == value && !(value == limit); });
  }
}

}  // namespace

Result<SweepColumn> find_column(std::string_view name, const std::vector<SweepColumn>& known, std::string_view where) {
  const auto named = [&](std::string_view word) {
    return std::find_if(known.begin(), known.end(), [&](const SweepColumn& column) { return column.name == word; });
  };
  auto found = named(name);
  // a decode step is a token for every user
  if (found == known.end() && (name == "tpot" || name == "step")) found = named("step_time");
  if (found == known.end()) found = named(std::string(name) + "_mean");  // of a simulation: "ttft"
  if (found != known.end()) return *found;
  std::vector<std::string> names;
  for (const SweepColumn& column : known) names.push_back(column.name);
  return fail({std::string(where), fmt::format("unknown column \"{}\"", shortened(name)), suggestion(name, names)});
}

void find_kept(const std::vector<Condition>& conditions, const SweepTable& table, std::vector<char>& kept) {
  kept.assign(table.rows, 1);
  for (const Condition& condition : conditions) {
    const TableColumn& values = table.columns[condition.column];
    if (condition.is_text)
      test_all(condition.test, values.texts, condition.text, kept);
    else
      test_all(condition.test, values.numbers, condition.number, kept);
  }
}

}  // namespace ridge
