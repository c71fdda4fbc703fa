#pragma once
// AIPerf's and GenAI-Perf's summaries: blocks with a unit and statistics (JSON), or rows whose names have the unit (CSV).

#include "catalog/results/csv_rows.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

BenchmarkResult read_aiperf(const ResultFields& report);

/// The CSV as the JSON that it would be.
Result<JsonValue> aiperf_of_csv(const std::vector<CsvRow>& rows, std::string_view place);

}  // namespace ridge::catalog
