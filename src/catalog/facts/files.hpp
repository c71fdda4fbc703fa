#pragma once
// Reading files and catalog folders: files.cpp is the only code below apps/ that touches a disk. Where there is none
// (a page, a library that opens nothing by itself) apps/door has the same functions over texts in memory.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/checkpoint/byte_source.hpp"
#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

/// Far above any file about a model or a question; traces may be longer (catalog/traces).
inline constexpr std::size_t kLargestFile = std::size_t{64} << 20;

/// The whole file; too large, missing or unreadable is an error.
Result<std::string> read_file(const std::string& path, std::size_t largest = kLargestFile);

/// Whether something of that name is there, and whether it is a folder.
bool is_there(const std::string& path);
bool is_folder(const std::string& path);

/// The paths of a folder's files with an ending, by name.
std::vector<std::string> files_ending(const std::string& folder, std::string_view ending);

/// A regular file, read where it is asked for. A folder, a pipe or a file that cannot be opened is an error.
Result<ByteSource> file_source(const std::string& path);

/// A path without ".", ".." and links, as far as it is there.
std::string without_links(const std::string& path);

/// Everything on standard input, with the same limit.
Result<std::string> read_standard_input(std::size_t largest = kLargestFile);

/// A folder laid out like catalog/: chip/*.toml, machine/*.toml, model/*.toml, claim/*.toml, sources.toml, format.toml.
/// `shown_as` stands before the file names in errors and provenance: the folder with a slash, or nothing.
Result<std::vector<Fact>> read_folder(const std::string& folder, const std::string& shown_as);

}  // namespace ridge::catalog
