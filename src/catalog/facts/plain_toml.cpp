// TOML by our own reader: keys, tables, texts, numbers, flags, dates, lists. One pass, linear in the text; how deep keys and
// lists nest is bounded by scan_toml and kMostNested.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/toml_date.hpp"
#include "catalog/facts/toml_scan.hpp"
#include "catalog/facts/toml_tree.hpp"

namespace ridge::catalog {

namespace {

constexpr int kMostNested = 64;
constexpr std::size_t kLongestNumber = 120;  // characters: toml++ gives up beyond 126
constexpr std::string_view kTomlHint = "TOML: key = \"value\", [table] headers, # comments";

/// A tree while it grows: tables know how they came to be, so that none is said twice.
struct Growing {
  TomlNode node;
  std::vector<Growing> below;
  bool headed = false;  // by a [header] of its own
  bool closed = false;  // an inline table: nothing is added later
  bool dotted = false;  // made by a dotted key
  bool tables = false;  // a list of tables that each have a [[header]]

  std::map<std::string, std::size_t> places;  // of keys in `below`

  Growing* find(const std::string& name) {
    const auto found = places.find(name);
    return found == places.end() ? nullptr : &below[found->second];
  }
  Growing* add(Growing one) {
    places.emplace(one.node.key, below.size());
    below.push_back(std::move(one));
    return &below.back();
  }
};

TomlNode grown(Growing&& tree) {
  TomlNode node = std::move(tree.node);
  for (Growing& one : tree.below) node.below.push_back(grown(std::move(one)));
  if (node.is_table()) std::ranges::sort(node.below, {}, &TomlNode::key);
  return node;
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class TomlParser {
 public:
  TomlParser(std::string_view text, std::string_view place) : text_(text), place_(place) {}

  Result<TomlNode> parse() {
    Growing root;
    root.node.kind = TomlNode::Kind::table;
    root.node.line = root.node.column = 1;
    Growing* table = &root;
    for (skip_lines(); ok() && at_ < text_.size(); skip_lines()) {
      if (peek() == '[') {
        table = header(root);
      } else {
        assign(*table);
      }
      if (ok()) end_of_line();
    }
    if (!ok()) return fail({fmt::format("{}:{}", place_, line_), wrong_, std::string(kTomlHint)});
    return grown(std::move(root));
  }

 private:
  bool ok() const { return wrong_.empty(); }
  void complain(std::string what) {
    if (ok()) wrong_ = std::move(what);
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  void step() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }
  void skip(std::size_t count) {
    for (std::size_t i = 0; i < count && at_ < text_.size(); ++i) step();
  }
  void blanks() {
    while (peek() == ' ' || peek() == '\t') step();
  }
  void comment() {
    if (peek() != '#') return;
    while (at_ < text_.size() && peek() != '\n') step();
  }
  void skip_lines() {
    for (blanks();; blanks()) {
      comment();
      if (peek() != '\n' && !starts("\r\n")) return;
      skip(peek() == '\r' ? 2 : 1);
    }
  }
  void end_of_line() {
    blanks();
    comment();
    if (at_ < text_.size() && peek() != '\n' && !starts("\r\n")) complain("something stands behind the value");
  }

  /// a."b c".d
  std::vector<std::string> key() {
    std::vector<std::string> parts;
    do {
      if (!parts.empty()) skip(1);  // the dot
      blanks();
      if (peek() == '"' || peek() == '\'') {
        parts.push_back(starts("\"\"\"") || starts("'''") ? no_key() : quoted());
      } else {
        const std::size_t from = at_;
        while (is_bare(peek())) step();
        parts.push_back(at_ == from ? no_key() : std::string(text_.substr(from, at_ - from)));
      }
      blanks();
    } while (ok() && peek() == '.');
    return parts;
  }
  std::string no_key() {
    complain("a key was expected");
    return {};
  }

  Growing* make_table(Growing& in, const std::string& name) {
    Growing one;
    one.node.key = name;
    one.node.kind = TomlNode::Kind::table;
    place_node(one.node);
    return in.add(std::move(one));
  }
  void place_node(TomlNode& node) const {
    node.line = line_;
    node.column = static_cast<int>(at_ - line_start_) + 1;
  }

  /// The table that a header leads to on its way, the last one of a list; none where there is no table.
  Growing* step_into(Growing& in, const std::string& name) {
    Growing* next = in.find(name);
    if (next == nullptr) return make_table(in, name);
    if (next->tables) return &next->below.back();
    if (next->node.is_table() && !next->closed) return next;
    complain(fmt::format("\"{}\" is no table", shortened(name)));
    return nullptr;
  }

  Growing* header(Growing& root) {
    const bool of_list = starts("[[");
    const std::string_view end = of_list ? "]]" : "]";
    skip(end.size());
    const std::vector<std::string> names = key();
    if (!starts(end)) complain(fmt::format("a {} was expected", end));
    if (!ok()) return &root;
    skip(end.size());
    Growing* table = &root;
    for (std::size_t i = 0; i + 1 < names.size() && table != nullptr; ++i) table = step_into(*table, names[i]);
    if (table != nullptr) table = of_list ? one_more(*table, names.back()) : own_table(*table, names.back());
    return table == nullptr ? &root : table;
  }

  Growing* own_table(Growing& in, const std::string& name) {
    const Growing* there = in.find(name);
    if (there != nullptr && (there->headed || there->dotted || there->tables))
      complain(fmt::format("the table \"{}\" stands twice", shortened(name)));
    Growing* table = ok() ? step_into(in, name) : nullptr;
    if (table != nullptr) table->headed = true;
    return table;
  }

  /// Of a list of tables.
  Growing* one_more(Growing& in, const std::string& name) {
    Growing* list = in.find(name);
    if (list == nullptr) {
      list = make_table(in, name);
      list->node.kind = TomlNode::Kind::list;
      list->tables = true;
    }
    if (!list->tables) {
      complain(fmt::format("\"{}\" is no list of tables", shortened(name)));
      return nullptr;
    }
    Growing one;
    one.node.kind = TomlNode::Kind::table;
    one.headed = true;
    place_node(one.node);
    list->below.push_back(std::move(one));
    return &list->below.back();
  }

  void assign(Growing& in) {
    const std::vector<std::string> names = key();
    if (ok() && peek() != '=') complain("a = was expected");
    if (!ok()) return;
    skip(1);
    blanks();
    Growing* table = &in;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      Growing* next = table->find(names[i]);
      if (next == nullptr) {
        next = make_table(*table, names[i]);
        next->dotted = true;
      }
      if (!next->node.is_table() || next->closed || next->headed)
        return complain(fmt::format("\"{}\" cannot be added to", shortened(names[i])));
      table = next;
    }
    if (table->find(names.back()) != nullptr)
      return complain(fmt::format("\"{}\" stands twice", shortened(names.back())));
    Growing one = value();
    one.node.key = names.back();
    table->add(std::move(one));
  }

  Growing value() {
    Growing one;
    place_node(one.node);
    if (++nested_ > kMostNested) {
      complain("lists and tables nest too deep");
    } else if (peek() == '"' || peek() == '\'') {
      one.node.kind = TomlNode::Kind::text;
      one.node.word = quoted();
    } else if (peek() == '[') {
      list(one);
    } else if (peek() == '{') {
      inline_table(one);
    } else {
      bare_value(one.node);
    }
    --nested_;
    return one;
  }

  void list(Growing& one) {
    one.node.kind = TomlNode::Kind::list;
    skip(1);
    for (skip_lines(); ok() && peek() != ']'; skip_lines()) {
      if (at_ >= text_.size()) return complain("a list does not end");
      one.below.push_back(value());
      skip_lines();
      if (peek() == ',') {
        skip(1);
      } else if (peek() != ']') {
        return complain("a comma was expected in a list");
      }
    }
    skip(1);
  }

  void inline_table(Growing& one) {
    one.node.kind = TomlNode::Kind::table;
    skip(1);
    blanks();
    while (ok() && peek() != '}') {
      assign(one);
      blanks();
      if (peek() != ',') break;
      skip(1);
      blanks();
      if (peek() == '}') complain("a comma stands before the }");
    }
    if (ok() && peek() != '}') complain("a } was expected");
    skip(1);
    close(one);
  }
  static void close(Growing& one) {
    one.closed = true;
    for (Growing& next : one.below) close(next);
  }

  void bare_value(TomlNode& node) {
    const std::size_t from = at_;
    while (is_bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':') step();
    const std::string_view word = text_.substr(from, at_ - from);
    if (word.empty()) return complain("a value was expected");
    if (word.size() > kLongestNumber)
      return complain(fmt::format("a value of more than {} characters without quotes", kLongestNumber));
    if (word == "true" || word == "false") {
      node.kind = TomlNode::Kind::flag;
      node.word = std::string(word);
    } else if (const auto number = number_of(word)) {
      node.kind = TomlNode::Kind::number;
      node.word = *number;
    } else if (!is_toml_date(word)) {
      complain(fmt::format("\"{}\" is no value: texts stand in quotes", shortened(std::string(word))));
    }
  }

  static std::optional<std::string> number_of(std::string_view word) {
    const bool negative = word.starts_with('-');
    const std::string_view unsigned_word = word.substr(negative || word.starts_with('+') ? 1 : 0);
    if (unsigned_word == "inf" || unsigned_word == "nan")
      return fmt::format("{}{}", negative ? "-" : "", unsigned_word);
    for (const auto& [start, base] : {std::pair{"0x", 16}, {"0o", 8}, {"0b", 2}}) {
      if (!word.starts_with(start)) continue;
      const auto digits = without_underscores(word.substr(2), base);
      return digits ? whole(*digits, base, false) : std::nullopt;
    }
    const auto plain = without_underscores(unsigned_word, 10);
    if (!plain) return {};
    if (plain->find_first_not_of("0123456789") == std::string::npos)
      return plain->size() > 1 && plain->front() == '0' ? std::nullopt : whole(*plain, 10, negative);
    return broken(*plain, negative);
  }

  /// What begins with a digit, and has single underscores between two digits alone.
  static std::optional<std::string> without_underscores(std::string_view word, int base) {
    const auto is_digit = [base](char c) {
      return (c >= '0' && c <= '9') || (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
    };
    if (word.empty() || !is_digit(word.front())) return {};
    std::string plain;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] != '_')
        plain += word[i];
      else if (i + 1 == word.size() || !is_digit(word[i - 1]) || !is_digit(word[i + 1]))
        return {};
    }
    return plain;
  }

  static std::optional<std::string> whole(std::string_view digits, int base, bool negative) {
    std::int64_t value = 0;
    const std::string signed_digits = (negative ? "-" : "") + std::string(digits);
    const char* end = signed_digits.data() + signed_digits.size();
    const auto [stop, wrong] = std::from_chars(signed_digits.data(), end, value, base);
    if (wrong != std::errc() || stop != end) return {};
    return fmt::format("{}", value);
  }

  /// 1.5, 1e9, 6.02e+23: digits on both sides of the point.
  static std::optional<std::string> broken(const std::string& plain, bool negative) {
    const std::size_t mark = plain.find_first_of("eE"), point = plain.find('.');
    const std::string head = plain.substr(0, mark);
    if (plain.find_first_not_of("0123456789.eE+-") != std::string::npos) return {};
    if (head.size() > 1 && head[0] == '0' && head[1] != '.') return {};
    if (point != std::string::npos && (point == 0 || point + 1 >= head.size())) return {};
    const auto value = parse_number(plain);
    if (!value) return {};
    return fmt::format("{}", negative ? -*value : *value);
  }

  /// A text in quotes, of one line or of several.
  std::string quoted() {
    const char mark = peek();
    const std::string_view three = mark == '"' ? "\"\"\"" : "'''";
    const bool long_one = starts(three);
    skip(long_one ? 3 : 1);
    if (long_one && (peek() == '\n' || starts("\r\n"))) skip(peek() == '\r' ? 2 : 1);
    std::string out;
    while (ok()) {
      if (at_ >= text_.size() || (!long_one && peek() == '\n')) {
        complain("a text does not end");
        break;
      }
      if (long_one ? starts(three) : peek() == mark) {
        skip(long_one ? 3 : 1);
        // up to two more quotes belong to the text
        for (int more = 0; long_one && more < 2 && peek() == mark; ++more, skip(1)) out += mark;
        break;
      }
      if (mark == '"' && peek() == '\\') {
        escape(out, long_one);
      } else {
        if (long_one && starts("\r\n")) skip(1);  // a line ends with \n, whatever the system that wrote it
        out += peek();
        step();
      }
    }
    return out;
  }

  void escape(std::string& out, bool long_one) {
    skip(1);
    const char c = peek();
    constexpr std::string_view kLetters = "btnfr\"\\", kMeant = "\b\t\n\f\r\"\\";
    if (const std::size_t which = kLetters.find(c); which != std::string_view::npos && c != '\0') {
      out += kMeant[which];
      skip(1);
    } else if (c == 'u' || c == 'U') {
      skip(1);
      unicode(out, c == 'u' ? 4 : 8);
    } else if (long_one && (c == '\n' || c == ' ' || c == '\t' || c == '\r')) {
      const int from = line_;
      while (peek() == '\n' || peek() == ' ' || peek() == '\t' || peek() == '\r') step();
      if (line_ == from) complain("a backslash before blanks that no line end follows");
    } else {
      complain("an escape that TOML does not know");
    }
  }

  void unicode(std::string& out, std::size_t digits) {
    std::uint32_t code = 0;
    const std::string_view word = text_.substr(at_, digits);
    const auto [stop, wrong] = std::from_chars(word.data(), word.data() + word.size(), code, 16);
    if (word.size() < digits || wrong != std::errc() || stop != word.data() + digits || code > 0x10FFFF ||
        (code >= 0xD800 && code < 0xE000))
      return complain("an escape that is no letter");
    skip(digits);
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  std::string_view text_, place_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1, nested_ = 0;
  std::string wrong_;
};

}  // namespace

const TomlNode* TomlNode::find(std::string_view name) const {
  const auto found = std::find_if(below.begin(), below.end(), [&](const TomlNode& one) { return one.key == name; });
  return kind == Kind::table && found != below.end() ? &*found : nullptr;
}

const std::string* TomlNode::text_of(std::string_view name) const {
  const TomlNode* one = find(name);
  return one == nullptr || one->kind != Kind::text ? nullptr : &one->word;
}

Result<TomlNode> parse_plain_toml(std::string_view text, std::string_view place) {
  if (const auto scanned = scan_toml(text, place); !scanned) return fail(scanned.error());
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return TomlParser(text, place).parse();
}

}  // namespace ridge::catalog
