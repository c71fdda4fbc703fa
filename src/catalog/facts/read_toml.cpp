// TOML by toml++: the only place that knows it.

#include <algorithm>

#include <fmt/format.h>

#include "catalog/facts/toml_scan.hpp"
#include "catalog/facts/toml_tree.hpp"

// hostile input must end in an error, never in an abort inside the parser
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

namespace ridge::catalog {

namespace {

TomlNode tree_of(const toml::node& node) {
  using Kind = TomlNode::Kind;
  TomlNode out;
  out.line = static_cast<int>(node.source().begin.line);
  out.column = static_cast<int>(node.source().begin.column);
  const auto say = [&](Kind kind, std::string word) {
    out.kind = kind;
    out.word = std::move(word);
  };
  if (const auto* text = node.as_string()) say(Kind::text, text->get());
  if (const auto* number = node.as_integer()) say(Kind::number, fmt::format("{}", number->get()));
  if (const auto* number = node.as_floating_point()) say(Kind::number, fmt::format("{}", number->get()));
  if (const auto* flag = node.as_boolean()) say(Kind::flag, flag->get() ? "true" : "false");
  if (const auto* list = node.as_array()) {
    out.kind = Kind::list;
    for (const toml::node& one : *list) out.below.push_back(tree_of(one));
  }
  if (const auto* table = node.as_table()) {
    out.kind = Kind::table;
    for (const auto& [key, one] : *table) {
      out.below.push_back(tree_of(one));
      out.below.back().key = std::string(key.str());
    }
  }
  return out;
}

/// Letters such as U+0142 or U+3001 lead toml++ 3.3 into code that it believes unreachable (its table of blanks has gaps)
/// wherever it looks for the end of a value. It does so where they stand outside quotes: only a text that is wrong, in one
/// of many ways, has them there, and our own reader refuses it first.
bool has_letters_beyond_ascii(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

Result<TomlNode> parse_toml(std::string_view text, std::string_view place) {
  if (const auto scanned = scan_toml(text, place); !scanned) return fail(scanned.error());
  if (has_letters_beyond_ascii(text)) {
    if (const auto plain = parse_plain_toml(text, place); !plain) return fail(plain.error());
  }
  try {
    return tree_of(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return fail({fmt::format("{}:{}", place, error.source().begin.line), std::string(error.description()),
                 "TOML: key = \"value\", [table] headers, # comments"});
  }
}

}  // namespace ridge::catalog
