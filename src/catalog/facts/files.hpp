#pragma once
// Reading files and catalog folders: with byte_source.cpp and model_file.cpp the only code below apps/ that touches a
// disk.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

/// The whole file; too large (over 64 MiB), missing or unreadable is an error.
Result<std::string> read_file(const std::string& path);

/// Everything on standard input, with the same limit.
Result<std::string> read_standard_input();

/// A folder laid out like catalog/: chip/*.toml, machine/*.toml, model/*.toml, claim/*.toml, sources.toml, format.toml.
/// `shown_as` stands before the file names in errors and provenance: the folder with a slash, or nothing.
Result<std::vector<Fact>> read_folder(const std::string& folder, const std::string& shown_as);

}  // namespace ridge::catalog
