#pragma once
// Rows of InferenceX (InferenceMAX): JSON with seconds, or the site's CSV with milliseconds.

#include "catalog/results/csv_rows.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

BenchmarkResult read_inferencex(const ResultFields& row);

/// The site's rows as the JSON that they would be.
Result<std::vector<JsonValue>> inferencex_of_csv(const std::vector<CsvRow>& rows, std::string_view place);

}  // namespace ridge::catalog
