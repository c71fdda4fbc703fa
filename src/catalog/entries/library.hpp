#pragma once
// From facts to the typed library: units parsed, sources checked, unknown keys refused, all errors at once.

#include "base/result.hpp"
#include "catalog/facts/entry.hpp"
#include "catalog/facts/fact.hpp"
#include "library/library.hpp"

namespace ridge::catalog {

/// What owning takes, from the table [owned]; nothing where there is none.
std::optional<Ownership> read_ownership(Entry& entry);

/// All of it read and checked: for the build, and where a user's folder lies over what is built in.
Result<Library> build_library(const std::vector<Fact>& facts);
/// The same library of entries that the build has checked, each read when somebody asks for it.
Library checked_library(const std::vector<PackedEntry>& entries);

/// What the library knows of the words in models' files, read once for all that ask.
ConfigWords config_words(const Library& library);

/// What is believed of a provider before its sheet is read, and the terms of a sheet of one's own (catalog/prior).
Result<std::vector<NumbersEntry>> priors(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
