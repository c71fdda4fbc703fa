#pragma once
// One line with one JSON object: the fields asked for as they stand in the text, so that numbers stay exact and nothing is
// copied. Anything else than numbers, texts and lists is rare, and is left to catalog/json.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ridge::catalog {

enum class JsonKind { absent, number, text, list, other };  // a null counts as absent; NaN and Infinity as numbers

struct JsonField {
  JsonKind kind = JsonKind::absent;
  std::string_view text;  // of a list: what is between its brackets
};

class JsonLine {
 public:
  /// Finds `keys` in a line: fields[i] is that of keys[i]. What is wrong, or nothing: no JSON object, or a key that stands
  /// twice.
  std::string read(std::string_view line, std::span<const std::string_view> keys, std::span<JsonField> fields);

  /// Keys of the line just read that nobody asked for, up to a few.
  std::span<const std::string_view> unknown_keys() const { return {unknown_.data(), unknown_count_}; }

 private:
  std::array<std::string_view, 16> unknown_;
  std::size_t unknown_count_ = 0;
};

}  // namespace ridge::catalog
