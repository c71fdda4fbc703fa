#pragma once
// Reading files and catalog folders: with byte_source.cpp and model_file.cpp the only code below apps/ that touches a
// disk.

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

/// Far above any file about a model or a question; traces may be longer (catalog/traces).
inline constexpr std::size_t kLargestFile = std::size_t{64} << 20;

/// The whole file; too large, missing or unreadable is an error.
Result<std::string> read_file(const std::string& path, std::size_t largest = kLargestFile);

/// Everything on standard input, with the same limit.
Result<std::string> read_standard_input(std::size_t largest = kLargestFile);

/// A folder laid out like catalog/: chip/*.toml, machine/*.toml, model/*.toml, claim/*.toml, sources.toml, format.toml.
/// `shown_as` stands before the file names in errors and provenance: the folder with a slash, or nothing.
Result<std::vector<Fact>> read_folder(const std::string& folder, const std::string& shown_as);

}  // namespace ridge::catalog
