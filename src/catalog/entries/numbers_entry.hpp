#pragma once
// Entries that are tables of named numbers.

#include "base/numbers_entry.hpp"
#include "catalog/facts/grouped.hpp"

namespace ridge::catalog {

/// A table of numbers, and the names of other entries it leans on.
NumbersEntry read_numbers(Entry& entry);
/// One whose numbers are tokens a second.
NumbersEntry read_traffic(Entry& entry);

/// All of a category, with the sources they cite: "day".
Result<std::vector<NumbersEntry>> numbers_entries(const std::vector<Fact>& facts, std::string_view category);

}  // namespace ridge::catalog
