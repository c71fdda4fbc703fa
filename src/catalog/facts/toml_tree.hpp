#pragma once
// What a TOML text says, without its syntax. Two readers make it: toml++ (read_toml.cpp), and our own (plain_toml.cpp),
// for where toml++ does not compile: a page.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ridge::catalog {

struct TomlNode {
  enum class Kind { text, number, flag, list, table, other };  // other: dates and times
  std::string key;                                             // in the table around it
  Kind kind = Kind::other;
  std::string word;             // of a text, a number or a flag, as a fact writes it
  std::vector<TomlNode> below;  // of a table, by key; of a list, in order
  int line = 0, column = 0;

  bool is_table() const { return kind == Kind::table; }
  bool is_plain() const { return kind == Kind::text || kind == Kind::number || kind == Kind::flag; }
  const TomlNode* find(std::string_view name) const;
  /// The text of a key; nothing where it is of another kind.
  const std::string* text_of(std::string_view name) const;
};

/// The program's reader: toml++, or our own where that is not.
Result<TomlNode> parse_toml(std::string_view text, std::string_view place);

/// Our own, of the same language: the program reads with both where letters beyond ASCII would lead toml++ astray.
Result<TomlNode> parse_plain_toml(std::string_view text, std::string_view place);

}  // namespace ridge::catalog
