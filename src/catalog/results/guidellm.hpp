#pragma once
// GuideLLM's reports: JSON of all versions, and the CSV of 0.6.

#include "catalog/results/csv_rows.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

/// One result for each benchmark of the report.
std::vector<BenchmarkResult> read_guidellm(const ResultFields& report);

/// Three header rows (group, name and unit, statistic), then one row a benchmark.
Result<std::vector<BenchmarkResult>> read_guidellm_csv(const std::vector<CsvRow>& rows, std::string_view place);

}  // namespace ridge::catalog
