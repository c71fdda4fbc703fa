#include "catalog/results/csv_rows.hpp"

#include <fmt/format.h>

namespace ridge::catalog {

Result<std::vector<CsvRow>> csv_rows(std::string_view text, std::string_view place) {
  constexpr std::size_t kMostRows = 100'000, kMostCells = 10'000;
  std::vector<CsvRow> rows;
  CsvRow row;
  std::string cell;
  bool quoted = false, any = false;
  std::size_t line = 1;
  const auto end_cell = [&] {
    row.cells.push_back(std::move(cell));
    cell.clear();
  };
  const auto end_row = [&] {
    if (any) end_cell();
    rows.push_back(std::move(row));
    row = {};
    any = false;
    row.line = line + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\n') ++line;
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
      continue;
    }
    if (c == '\n') {
      end_row();
      ++line;
    } else if (c == ',') {
      any = true;
      end_cell();
    } else if (c == '"' && cell.empty()) {
      any = quoted = true;
    } else if (c != '\r') {
      any = true;
      cell += c;
    }
    if (rows.size() > kMostRows || row.cells.size() > kMostCells)
      return fail({fmt::format("{}:{}", place, line), "has too many rows or columns", "no benchmark writes so many"});
  }
  if (quoted) return fail({fmt::format("{}:{}", place, row.line), "a quote is never closed", "is the file whole?"});
  if (any) end_row();
  return rows;
}

}  // namespace ridge::catalog
