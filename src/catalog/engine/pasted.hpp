#pragma once
// What people paste: shell commands with their quotes, line continuations, redirections and here-documents. Nothing is
// run and nothing is expanded.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace ridge::catalog {

struct Pasted {
  std::vector<std::vector<std::string>> statements;  // words, quotes taken off
  std::vector<std::string> documents;                // here-documents
};

/// A quote that is never closed, or more than 256 KiB, is an error. A backslash before blanks ends no word's meaning:
/// pasted into one line, it stands where a line ended.
Result<Pasted> split_pasted(std::string_view text, std::string_view where);

/// "key: value" lines, nested by their indentation, as in engines' option files; keys are joined by dots. Lists and
/// whatever else YAML has are passed over.
std::vector<std::pair<std::string, std::string>> option_lines(std::string_view document);

}  // namespace ridge::catalog
