#pragma once
// From facts to the typed library: units parsed, sources checked, unknown keys refused, all errors at once.

#include "base/result.hpp"
#include "catalog/facts/entry.hpp"
#include "catalog/facts/fact.hpp"
#include "library/library.hpp"

namespace ridge::catalog {

/// What owning takes, from the table [owned]; nothing where there is none.
std::optional<Ownership> read_ownership(Entry& entry);

Result<Library> build_library(const std::vector<Fact>& facts);

/// What is believed of a provider before its sheet is read, and the terms of a sheet of one's own (catalog/prior).
Result<std::vector<NumbersEntry>> priors(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
