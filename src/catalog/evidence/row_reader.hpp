#pragma once
// Rows from a CSV text: what each column may hold, and a reader that collects all that is wrong with a file.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/evidence/evidence_file.hpp"

namespace ridge::catalog {

/// What a column may hold.
enum class Holds {
  text,
  any_text,
  few,           // chips, experts: a whole number up to a million
  count,         // sizes and tokens of a kernel: a whole number up to a billion
  positive,      // and less than 1e15, so that products of a few stay numbers
  zero_or_more,  // the same, or zero
  share,
  measured,  // positive, or empty
  flag
};

/// A column of a file, and the field of a row that it fills.
template <class Row>
struct Column {
  std::string_view name;
  std::variant<std::string Row::*, double Row::*, bool Row::*> field;
  Holds holds = Holds::text;
  double unit = 1;        // of the number in the file
  bool may_lack = false;  // a file without this column says nothing of it
};

inline constexpr double kMicro = 1e-6, kMilli = 1e-3;  // units of columns

/// The fields of a line; a field in quotes may hold commas, and "" for a quote. Nothing where a quote stays open.
std::optional<std::vector<std::string>> fields_of(std::string_view line);

/// Puts a text into a field; each says what is wrong with it, or nothing.
std::string put_words(std::string& field, Holds holds, const std::string& text);
std::string put_flag(bool& field, bool may_lack, const std::string& text);
std::string put_number(double& field, Holds holds, double unit, const std::string& text);

template <class Row>
std::string put(Row& row, const Column<Row>& column, const std::string& text) {
  if (const auto* words = std::get_if<std::string Row::*>(&column.field))
    return put_words(row.*(*words), column.holds, text);
  if (const auto* flag = std::get_if<bool Row::*>(&column.field)) return put_flag(row.*(*flag), column.may_lack, text);
  return put_number(row.*std::get<double Row::*>(column.field), column.holds, column.unit, text);
}

/// Reads one file line by line, and collects what is wrong with it.
class RowReader {
 public:
  RowReader(const NamedText& file, Errors& errors) : name_(file.name), rest_(file.text), errors_(errors) {}

  /// Every right row goes to `keep`, which answers with what is wrong with it as a whole, or nothing.
  template <class Row, class Keep>
  void read(const std::vector<Column<Row>>& columns, const Keep& keep) {
    const auto order = read_header(columns);
    if (!order) return;
    while (!rest_.empty() && found_ < kMostWrongLines) {
      const std::string_view line = next_line();
      if (line.empty()) continue;
      Row row;
      if (!read_line(line, columns, *order, row)) continue;
      if (const std::string wrong = keep(row); !wrong.empty()) complain("", wrong);
    }
    if (found_ >= kMostWrongLines) complain("", "and perhaps more: reading stopped here", "is this the right file?");
  }

 private:
  static constexpr std::size_t kMostWrongLines = 50;  // a file of another kind is wrong in every line

  std::string_view next_line() {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void complain(std::string_view column, std::string what, std::string hint = {}) {
    ++found_;
    errors_.push_back({fmt::format("{}:{}{}{}", name_, line_, column.empty() ? "" : ": ", column), std::move(what),
                       hint.empty() ? "catalog/evidence/README.md tells the columns" : std::move(hint)});
  }

  /// For each field of a line the column it belongs to; nothing where the header is wrong.
  template <class Row>
  std::optional<std::vector<std::size_t>> read_header(const std::vector<Column<Row>>& columns) {
    const auto header = fields_of(next_line());
    std::vector<std::string> known;
    for (const auto& column : columns) known.emplace_back(column.name);
    std::vector<std::size_t> order;
    for (const std::string& word : header.value_or(std::vector<std::string>{})) {
      const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), word) - known.begin());
      if (at == known.size()) {
        complain("", fmt::format("unknown column '{}'", shortened(word)), suggestion(word, known));
      } else if (std::find(order.begin(), order.end(), at) != order.end()) {
        complain(word, "is there twice");
      }
      order.push_back(at);
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!columns[i].may_lack && std::find(order.begin(), order.end(), i) == order.end())
        complain(known[i], "column is missing");
    }
    if (found_ > 0) return {};
    return order;
  }

  template <class Row>
  bool read_line(std::string_view line, const std::vector<Column<Row>>& columns, const std::vector<std::size_t>& order,
                 Row& row) {
    const auto fields = fields_of(line);
    if (!fields) return complain("", "a quote is not closed"), false;
    if (fields->size() != order.size()) {
      complain("", fmt::format("has {} fields, the header {}", fields->size(), order.size()));
      return false;
    }
    bool right = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Column<Row>& column = columns[order[i]];
      if (std::string wrong = put(row, column, (*fields)[i]); !wrong.empty()) {
        complain(column.name, std::move(wrong));
        right = false;
      }
    }
    return right;
  }

  std::string name_;
  std::string_view rest_;
  Errors& errors_;
  int line_ = 0;
  std::size_t found_ = 0;
};

}  // namespace ridge::catalog
