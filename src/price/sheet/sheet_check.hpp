#pragma once
// Is a price sheet one, and is it an unusual one? An error is something that cannot be meant. A finding is something
// that a reader should know before he concludes anything from the sheet.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge {

/// Negative, missing or unending prices, tiers and times kept out of order or twice, a time of zero.
Errors sheet_errors(const PriceSheet& sheet);

/// Who is told: everybody, or one who hears the contradictions of the same sheet as well (price/make/sheet_readings.hpp), and
/// should hear nothing twice.
enum class FindingsFor { everybody, inference };

/// Sentences: cached more expensive than fresh, cheaper above a price break, batch more expensive than standard, output cheaper
/// than input, a longer hold cheaper than a shorter one.
std::vector<std::string> sheet_findings(const PriceSheet& sheet, FindingsFor whom = FindingsFor::everybody);

/// Those of a cache alone.
std::vector<std::string> cache_findings(const DollarsPerToken<double>& input,
                                        const std::optional<DollarsPerToken<double>>& cached,
                                        const std::vector<CacheWrite>& writes);

/// Both at once. Findings of a sheet with errors are left out: they would be about numbers nobody meant.
struct SheetCheck {
  Errors errors;
  std::vector<std::string> findings;
};
SheetCheck check_sheet(const PriceSheet& sheet);

/// A date of a sheet: a year, a month or a day ("2026", "2026-02", "2026-02-05").
bool is_sheet_date(const std::string& date);

}  // namespace ridge
