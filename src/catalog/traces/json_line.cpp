#include "catalog/traces/json_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

namespace {

/// A place in a line that moves on over what it knows.
struct JsonCursor {
  std::string_view line;
  std::size_t at = 0;
  bool odd = false;  // met something that the JSON parser should look at: escapes, letters beyond ASCII, odd numbers

  bool done() const { return at >= line.size(); }
  void skip_blanks() {
    while (!done() && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) ++at;
  }
  bool take(char c) {
    skip_blanks();
    if (done() || line[at] != c) return false;
    ++at;
    return true;
  }
  /// After a quote: what is before the closing one, escapes as they stand.
  bool take_quoted(std::string_view& text) {
    const std::size_t start = at;
    for (; !done(); ++at) {
      const auto c = static_cast<unsigned char>(line[at]);
      if (c == '"') {
        text = line.substr(start, at++ - start);
        return true;
      }
      if (c < 0x20) return false;
      if (c == '\\' && ++at >= line.size()) return false;
      odd = odd || c == '\\' || c >= 0x80;
    }
    return false;
  }
  /// From an opening bracket to the one that closes it.
  bool take_nested(std::string_view& text) {
    const std::size_t start = at;
    std::size_t depth = 0;
    while (!done()) {
      const char c = line[at++];
      if (c == '"') {
        std::string_view ignored;
        if (!take_quoted(ignored)) return false;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if ((c == ']' || c == '}') && --depth == 0) {
        text = line.substr(start, at - start);
        return true;
      }
    }
    return false;
  }
  /// A list of digits, commas and blanks alone: most lists, in one look.
  bool take_plain_list(std::string_view& inside) {
    const std::size_t start = at + 1;
    std::size_t end = start;
    while (end < line.size() && ((line[end] >= '0' && line[end] <= '9') || line[end] == ',' || line[end] == ' ')) ++end;
    if (end == line.size() || line[end] != ']') return false;
    inside = line.substr(start, end - start);
    at = end + 1;
    return true;
  }
  std::string_view take_word() {
    const std::size_t start = at;
    while (!done() && line[at] != ',' && line[at] != '}' && line[at] != ' ' && line[at] != '\t' && line[at] != '\r')
      ++at;
    return line.substr(start, at - start);
  }
};

/// As JSON writes numbers; NaN and Infinity as Python does.
bool is_json_number(std::string_view word) {
  std::size_t at = word.starts_with('-') ? 1 : 0;
  if (word.substr(at) == "Infinity" || word == "NaN") return true;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < word.size() && word[at] >= '0' && word[at] <= '9') ++at;
    return at - start;
  };
  const std::size_t first = at, whole = digits();
  if (whole == 0 || (whole > 1 && word[first] == '0')) return false;
  if (at < word.size() && word[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == word.size();
}

/// `asked`: whoever asked for it reads its list to the end, so that nobody else needs to.
bool take_value(JsonCursor& cursor, JsonField& field, bool asked) {
  constexpr std::size_t kLongestPlain = 24;
  cursor.skip_blanks();
  if (cursor.done()) return false;
  const char c = cursor.line[cursor.at];
  if (c == '"') {
    ++cursor.at;
    field.kind = JsonKind::text;
    return cursor.take_quoted(field.text);
  }
  if (c == '[' && asked && cursor.take_plain_list(field.text)) {
    field.kind = JsonKind::list;
    return true;
  }
  if (c == '[' || c == '{') {
    std::string_view nested;
    if (!cursor.take_nested(nested)) return false;
    field = {c == '[' ? JsonKind::list : JsonKind::other, nested.substr(1, nested.size() - 2)};
    return parse_json(nested, "").has_value();
  }
  const std::string_view word = cursor.take_word();
  field.text = word;
  if (word == "null") return true;
  field.kind = word == "true" || word == "false" ? JsonKind::other : JsonKind::number;
  cursor.odd = cursor.odd || word.size() > kLongestPlain || word.find_first_of("eE") != std::string_view::npos;
  return field.kind == JsonKind::other || is_json_number(word);
}

/// Why a line is no object: in the words of the JSON parser.
std::string json_trouble(std::string_view line) {
  const auto parsed = parse_json(line, "");
  if (!parsed) return safe_line(parsed.error().front().what);
  if (parsed->object() == nullptr) return fmt::format("is {}, not an object", kind_of(*parsed));
  return "is no plain object";
}

}  // namespace

std::string JsonLine::read(std::string_view line, std::span<const std::string_view> keys, std::span<JsonField> fields) {
  unknown_count_ = 0;
  for (JsonField& field : fields) field = {};
  JsonCursor cursor{line};
  if (!cursor.take('{')) return json_trouble(line);
  std::size_t expected = 0;  // most lines have the same keys in the same order
  if (!cursor.take('}')) {
    unsigned seen = 0;
    do {
      std::string_view key;
      if (!cursor.take('"') || !cursor.take_quoted(key) || !cursor.take(':')) return json_trouble(line);
      std::size_t index = expected;
      if (index >= keys.size() || keys[index] != key) {
        for (index = 0; index < keys.size() && keys[index] != key;) ++index;
      }
      JsonField value;
      if (!take_value(cursor, value, index < keys.size())) return json_trouble(line);
      if (index == keys.size()) {
        const auto unknown_end = unknown_.begin() + static_cast<std::ptrdiff_t>(unknown_count_);
        cursor.odd = cursor.odd || unknown_count_ == unknown_.size() ||
                     std::find(unknown_.begin(), unknown_end, key) != unknown_end;
        if (unknown_count_ < unknown_.size()) unknown_[unknown_count_++] = key;
        continue;
      }
      if (((seen >> index) & 1U) != 0) return fmt::format("has the key \"{}\" twice", key);
      seen |= 1U << index;
      fields[index] = value;
      expected = index + 1;
    } while (cursor.take(','));
    if (!cursor.take('}')) return json_trouble(line);
  }
  cursor.skip_blanks();
  return cursor.done() && (!cursor.odd || parse_json(line, "").has_value()) ? "" : json_trouble(line);
}

}  // namespace ridge::catalog
