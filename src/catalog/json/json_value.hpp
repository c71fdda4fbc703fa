#pragma once
// JSON from strangers as a plain tree: a config.json, a safetensors header, an index. Parsed once, with every limit
// checked; what walks the tree afterwards cannot meet a surprise.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace ridge::catalog {

struct JsonValue;
struct JsonMember;
using JsonArray = std::vector<JsonValue>;
using JsonMembers = std::vector<JsonMember>;  // in file order, each key once

struct JsonValue {
  std::variant<std::monostate, bool, double, std::string, JsonArray, JsonMembers> value;

  bool is_null() const { return std::holds_alternative<std::monostate>(value); }
  const bool* boolean() const { return std::get_if<bool>(&value); }
  const double* number() const { return std::get_if<double>(&value); }
  const std::string* text() const { return std::get_if<std::string>(&value); }
  const JsonArray* array() const { return std::get_if<JsonArray>(&value); }
  const JsonMembers* object() const { return std::get_if<JsonMembers>(&value); }

  /// A member of an object; nullptr where there is none, or this is no object.
  const JsonValue* find(std::string_view key) const;
};

/// A pair in all but name: clang refuses std::pair here, which asks about JsonValue before that is complete.
struct JsonMember {
  std::string first;
  JsonValue second;

  JsonMember() = default;
  JsonMember(std::string key, JsonValue member) : first(std::move(key)), second(std::move(member)) {}
};

/// "a number", "a text", ...: for errors.
std::string_view kind_of(const JsonValue& value);

struct JsonLimits {
  std::size_t depth = 64;
  std::size_t values = 4'000'000;
};

/// Python writes NaN and Infinity into JSON; they are read as the texts "NaN", "Infinity" and "-Infinity", so that
/// nobody takes them for a number. A key that appears twice, deeper nesting or more values than the limits: an error.
Result<JsonValue> parse_json(std::string_view text, std::string_view place, const JsonLimits& limits = {});

}  // namespace ridge::catalog
