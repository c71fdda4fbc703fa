#pragma once
// llama-bench (JSON, JSON lines, CSV, Markdown) and llama-batched-bench (JSON lines, Markdown).

#include "catalog/results/csv_rows.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

BenchmarkResult read_llama_bench(const ResultFields& row);
BenchmarkResult read_llama_batched(const ResultFields& row);

/// Rows of a table with headings as the JSON that they would be: CSV of llama-bench.
Result<std::vector<JsonValue>> objects_of_csv(const std::vector<CsvRow>& rows, std::string_view place);

/// A row of a Markdown table of either program, as the JSON that it would be.
struct MarkdownRow {
  std::size_t line = 1;
  JsonValue object;
};
/// Every row of their tables in a text; other tables are left.
std::vector<MarkdownRow> llama_tables(std::string_view text);

}  // namespace ridge::catalog
