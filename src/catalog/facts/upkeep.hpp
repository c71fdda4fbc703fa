#pragma once
// What of the catalog somebody should look at again: prices that were read long ago, and values without a document behind
// them. Ages are counted from the newest source of the catalog, not from a clock: the same catalog gives the same list.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/provenance.hpp"
#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

/// Days since 1970 of "2026-03-31", "2026-03" or "2026" (the first of what is left out); none for other texts.
std::optional<int> day_of(std::string_view date);

struct OldPrice {
  std::string entry, key;  // "hgx-h100", "price.on_demand"; of a sheet "anthropic/claude-2" and "sheet"
  std::string date, source;
  int days = 0;  // before the newest source
};
/// Rental prices of machines, and the newest sheet of everything sold, that are older than `limit` days. Machines first: all
/// answers in money hang on them, and most old sheets are of what is no longer sold. Of each kind the oldest first.
std::vector<OldPrice> old_prices(const std::vector<Fact>& facts, const std::vector<Source>& sources, int limit);

struct UnsourcedValue {
  std::string entry, key, text, source;  // no source: the file names none
};
/// Numbers that somebody assumed, or that cite nothing.
std::vector<UnsourcedValue> unsourced_values(const std::vector<Fact>& facts, const std::vector<Source>& sources);

}  // namespace ridge::catalog
