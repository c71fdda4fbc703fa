#pragma once
// Rows of cases that are answered one by one: what an axis gives stands as it was asked for, the rest is read off answers.

#include <string>
#include <vector>

#include "base/text/field_text.hpp"
#include "search/sweep/space.hpp"
#include "search/sweep/table.hpp"

namespace ridge {

/// The axis of each column; -1: none.
inline std::vector<int> axes_of(const Space& space, const std::vector<SweepColumn>& columns) {
  std::vector<int> found(columns.size(), -1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t a = 0; a < space.axes().size(); ++a) {
      if (space.axes()[a].key == columns[c].name) found[c] = static_cast<int>(a);
    }
  }
  return found;
}

/// Why there is no answer, for a cell.
inline std::string problem_text(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += (text.empty() ? "" : "; ") + error.where + ": " + error.what;
  return with_plain_fields(text);
}

struct RowShape {
  const Space* space;
  const std::vector<SweepColumn>* columns;
  const std::vector<int>* axis_of;
};

/// answer(index), then number(column, index, answer) or text(column, answer) for every column.
template <class Answer, class Number, class Text>
void fill_rows(const RowShape& shape, std::uint64_t first, std::size_t count, SweepTable& table, Answer&& answer,
               Number&& number, Text&& text) {
  table.first = first;
  table.rows = count;
  table.columns.assign(shape.columns->size(), {});
  for (std::uint64_t index = first; index < first + count; ++index) {
    const auto one = answer(index);
    for (std::size_t c = 0; c < shape.columns->size(); ++c) {
      const SweepColumn& column = (*shape.columns)[c];
      TableColumn& to = table.columns[c];
      const int which = (*shape.axis_of)[c];
      const SweepAxis* axis = which < 0 ? nullptr : &shape.space->axes()[static_cast<std::size_t>(which)];
      const std::size_t digit = axis == nullptr ? 0 : shape.space->digit(static_cast<std::size_t>(which), index);
      // an axis shows what was asked for, also where there is no answer
      if (column.holds != SweepColumn::Holds::text) {
        const bool given = axis != nullptr && axis->is_numeric();
        to.numbers.push_back(given ? axis->numbers[digit] : number(column, index, one));
      } else {
        to.texts.push_back(axis != nullptr ? axis->text(digit) : text(column, one));
      }
    }
  }
}

}  // namespace ridge
