#include "catalog/gguf/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

/// A metadata value's type, by its number in the file.
struct ValueType {
  std::string_view name;
  std::uint64_t least_bytes;  // a value takes at least this much of the file
};
enum ValueNumber : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
constexpr std::array kValueTypes = {
    ValueType{"uint8", 1},   ValueType{"int8", 1},   ValueType{"uint16", 2},  ValueType{"int16", 2},
    ValueType{"uint32", 4},  ValueType{"int32", 4},  ValueType{"float32", 4}, ValueType{"bool", 1},
    ValueType{"string", 8},  ValueType{"array", 12}, ValueType{"uint64", 8},  ValueType{"int64", 8},
    ValueType{"float64", 8},
};

// What is kept of it. Far above any model; they bound time and memory on a hostile file.
constexpr std::uint64_t kLongestKeptText = 64u << 10;
constexpr int kDeepestArray = 2;
constexpr std::uint64_t kMostKeptNumbers = 65'536, kMostKeptTexts = 64, kMostArrays = 65'536;
constexpr std::uint64_t kKeptValuesInAll = 4 * kMostKeptNumbers, kKeptTextInAll = 8u << 20;

JsonValue number_or_word(double value) {
  if (std::isnan(value)) return {std::string("NaN")};
  if (std::isinf(value)) return {std::string(value > 0 ? "Infinity" : "-Infinity")};
  return {value};
}

JsonValue summary(std::string_view type, std::uint64_t length) {
  return {JsonMembers{{"array_of", {std::string(type)}}, {"length", {static_cast<double>(length)}}}};
}

}  // namespace

bool GgufValues::read_value(std::uint32_t type, JsonValue& value, int depth) {
  if (type == text) return read_text(value);
  if (type == array) return read_array(value, depth + 1);
  if (type < kValueTypes.size()) return read_number(type, value);
  return bytes_.refuse(cursor_.offset() - 4, fmt::format("metadata of type {}; 0 to 12 are known", type),
                       "the file is damaged, or newer than this program");
}

bool GgufValues::read_number(std::uint32_t type, JsonValue& value) {
  if (type == boolean) {
    const auto byte = cursor_.number<std::uint8_t>();
    if (byte > 1)
      return bytes_.refuse(cursor_.offset() - 1, fmt::format("true or false as {}", byte), "the file is damaged");
    value.value = byte == 1;
  } else if (type == f32) {
    value = number_or_word(std::bit_cast<float>(cursor_.number<std::uint32_t>()));
  } else if (type == f64) {
    value = number_or_word(std::bit_cast<double>(cursor_.number<std::uint64_t>()));
  } else {
    value.value = read_whole(type);
  }
  return good();
}

double GgufValues::read_whole(std::uint32_t type) {
  if (type == u8) return whole<std::uint8_t>();
  if (type == i8) return whole<std::uint8_t, std::int8_t>();
  if (type == u16) return whole<std::uint16_t>();
  if (type == i16) return whole<std::uint16_t, std::int16_t>();
  if (type == u32) return whole<std::uint32_t>();
  if (type == i32) return whole<std::uint32_t, std::int32_t>();
  return type == u64 ? whole<std::uint64_t>() : whole<std::uint64_t, std::int64_t>();
}

bool GgufValues::read_text(JsonValue& value) {
  const auto length = cursor_.number<std::uint64_t>();
  if (length > kLongestKeptText || length > kKeptTextInAll - kept_text_) {
    cursor_.skip(length);
    value = summary("byte", length);
    return good();
  }
  const std::string_view bytes = cursor_.take(static_cast<std::size_t>(length));
  kept_text_ += bytes.size();
  value = is_utf8(bytes) ? JsonValue{std::string(bytes)} : summary("byte", length);
  return good();
}

bool GgufValues::read_array(JsonValue& value, int depth) {
  const std::uint64_t at = cursor_.offset();
  const auto type = cursor_.number<std::uint32_t>();
  const auto length = cursor_.number<std::uint64_t>();
  if (!good()) return false;
  if (type >= kValueTypes.size()) {
    return bytes_.refuse(at, fmt::format("an array of type {}; 0 to 12 are known", type),
                         "the file is damaged, or newer than this program");
  }
  if (type == array && depth >= kDeepestArray) {
    return bytes_.refuse(at, fmt::format("arrays nested more than {} deep", kDeepestArray), "no model needs that");
  }
  const ValueType& element = kValueTypes[type];
  if (length > cursor_.left() / element.least_bytes) {
    return bytes_.refuse(at + 4,
                         fmt::format("an array of {} {} with {} bytes left", length, element.name, cursor_.left()),
                         "the file is damaged or incomplete: fetch it again");
  }
  if (type == array && length > kMostArrays) {
    return bytes_.refuse(at + 4, fmt::format("an array of {} arrays; at most {} are read", length, kMostArrays),
                         "no model needs that: the file is damaged");
  }
  const bool scalar = type != text && type != array;
  const std::uint64_t most = scalar ? kMostKeptNumbers : type == text ? kMostKeptTexts : 0;
  const bool kept = depth == 1 && type != array && length <= std::min(most, kKeptValuesInAll - kept_values_);
  if (kept) return read_elements(type, length, value);
  if (depth == 1) value = summary(element.name, length);
  if (scalar) {
    cursor_.skip(length * element.least_bytes);
    return good();
  }
  return type == text ? skip_texts(length) : skip_arrays(length, depth);
}

bool GgufValues::read_elements(std::uint32_t type, std::uint64_t length, JsonValue& value) {
  kept_values_ += length;
  JsonArray items(static_cast<std::size_t>(length));
  for (JsonValue& item : items) {
    if (!read_value(type, item, 1)) return false;
  }
  value = {std::move(items)};
  return true;
}

bool GgufValues::skip_texts(std::uint64_t length) {
  for (std::uint64_t i = 0; i < length && cursor_.ok() && bytes_.within_header(); ++i) {
    cursor_.skip(cursor_.number<std::uint64_t>());
  }
  return good();
}

bool GgufValues::skip_arrays(std::uint64_t length, int depth) {
  JsonValue ignored;
  for (std::uint64_t i = 0; i < length; ++i) {
    if (!read_array(ignored, depth + 1)) return false;
  }
  return true;
}

}  // namespace ridge::catalog
