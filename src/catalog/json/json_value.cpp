#include "catalog/json/json_value.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "base/text/text.hpp"
#include "base/text/text_set.hpp"

namespace ridge::catalog {

const JsonValue* JsonValue::find(std::string_view key) const {
  const JsonMembers* members = object();
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(), [&](const auto& one) { return one.first == key; });
  return found == members->end() ? nullptr : &found->second;
}

std::string_view kind_of(const JsonValue& value) {
  constexpr std::string_view kNames[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
  return kNames[value.value.index()];
}

namespace {

/// A key that appears more than once; nullptr where all differ.
const std::string* repeated_key(const JsonMembers& members) {
  constexpr std::size_t kFew = 12;
  if (members.size() <= kFew) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (members[i].first == members[j].first) return &members[i].first;
      }
    }
    return nullptr;
  }
  TextSet seen(members.size());
  for (const auto& member : members) {
    if (!seen.insert(member.first)) return &member.first;
  }
  return nullptr;
}

/// At most 15 digits with a point among them: digits and power of ten are exact, so their quotient is rounded once. Most
/// numbers, without the long way.
std::optional<double> short_number(std::string_view text) {
  if (text.empty() || text.size() > 16) return {};
  double digits = 0, scale = 1;
  bool fraction = false;
  for (const char c : text) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') return {};
    digits = digits * 10 + (c - '0');
    if (fraction) scale *= 10;
  }
  if (text.size() == 16 && !fraction) return {};
  return digits / scale;
}

/// RapidJSON writes a low surrogate that stands alone (\udc00) as three bytes that are not UTF-8.
bool has_surrogate(std::string_view text) {
  for (std::size_t at = text.find('\xed'); at != std::string_view::npos; at = text.find('\xed', at + 1)) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xa0) return true;
  }
  return false;
}

/// RapidJSON's events, built into a tree. Finished values wait on a stack until their container closes, so nesting
/// costs no recursion and every container is allocated once.
class Builder {
 public:
  using Ch = char;
  using Size = rapidjson::SizeType;

  Builder(std::string_view place, const JsonLimits& limits, std::size_t file_size) : place_(place), limits_(limits) {
    constexpr std::size_t kLeastPerValue = 2;  // "1,": address space for the worst file, touched only as it is needed
    values_.reserve(std::min(file_size / kLeastPerValue, limits.values) + 1);
  }

  bool Null() { return put(std::monostate()); }
  bool Bool(bool value) { return put(value); }
  bool RawNumber(const Ch* text, Size size, bool) {
    const std::string_view number(text, size);
    if (number.ends_with('N')) return put(std::string("NaN"));
    if (number.ends_with('f') || number.ends_with('y')) {
      return put(std::string(number.starts_with('-') ? "-Infinity" : "Infinity"));
    }
    if (const std::optional<double> value = short_number(number)) return put(*value);
    if (const std::optional<double> value = parse_number(number)) return put(*value);
    return refuse(fmt::format("the number {} is too long or too big", shortened(number)), "no model has such a number");
  }
  // never called: kParseNumbersAsStringsFlag
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const Ch* text, Size size, bool) {
    if (has_surrogate({text, size})) return refuse_surrogate();
    return put(std::string(text, size));
  }
  bool StartObject() { return open(); }
  bool StartArray() { return open(); }
  bool Key(const Ch* text, Size size, bool) {
    if (has_surrogate({text, size})) return refuse_surrogate();
    keys_.emplace_back(text, size);
    return true;
  }
  bool EndObject(Size count) {
    JsonMembers members;
    members.reserve(count);
    const auto first_value = values_.end() - count;
    const auto first_key = keys_.end() - count;
    for (Size i = 0; i < count; ++i) members.emplace_back(std::move(first_key[i]), std::move(first_value[i]));
    values_.erase(first_value, values_.end());
    keys_.erase(first_key, keys_.end());
    --depth_;
    if (const std::string* twice = repeated_key(members)) {
      return refuse(fmt::format("the key \"{}\" stands twice in one object", shortened(*twice)),
                    "two values for one key have no meaning: remove one");
    }
    return put(std::move(members));
  }
  bool EndArray(Size count) {
    const auto first = values_.end() - count;
    JsonArray items(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
    values_.erase(first, values_.end());
    --depth_;
    return put(std::move(items));
  }

  JsonValue take() { return std::move(values_.back()); }
  const Error& error() const { return error_; }

 private:
  bool refuse(std::string what, std::string hint) {
    error_ = {std::string(place_), std::move(what), std::move(hint)};
    return false;
  }
  bool refuse_surrogate() {
    return refuse("a text with half a surrogate pair", "\\udc00 to \\udfff stand only after \\ud800 to \\udbff");
  }
  template <class T>
  bool put(T value) {
    if (++count_ > limits_.values) {
      return refuse(fmt::format("more than {} values", with_commas(static_cast<double>(limits_.values))),
                    "this is not a file about one model");
    }
    values_.emplace_back().value = std::move(value);
    return true;
  }
  bool open() {
    if (++depth_ <= limits_.depth) return true;
    return refuse(fmt::format("nested more than {} deep", limits_.depth), "no model file is nested like that");
  }

  std::string_view place_;
  JsonLimits limits_;
  std::vector<JsonValue> values_;
  std::vector<std::string> keys_;
  std::size_t depth_ = 0, count_ = 0;
  Error error_;
};

}  // namespace

Result<JsonValue> parse_json(std::string_view text, std::string_view place, const JsonLimits& limits) {
  // Numbers are parsed here: RapidJSON 1.1's exact ones shift by negative counts and assert on hostile input.
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseInsituFlag;
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {  // RapidJSON would stop there
    return fail({std::string(place), fmt::format("not JSON at byte {}: a zero byte", zero), "JSON is text"});
  }
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // some editors put it before UTF-8
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (!is_utf8(text)) {
    return fail({std::string(place), "not JSON: it holds bytes that are not UTF-8", "save the file as UTF-8"});
  }
  Builder builder(place, limits, text.size());
  rapidjson::Reader reader;
  std::string scratch(text);  // texts are unescaped in place, numbers handed over where they stand
  rapidjson::InsituStringStream stream(scratch.data());
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, builder);
  if (parsed) return builder.take();
  if (!builder.error().what.empty()) return fail(builder.error());
  return fail({std::string(place),
               fmt::format("not JSON at byte {}: {}", parsed.Offset(), rapidjson::GetParseError_En(parsed.Code())),
               "a config.json, an index or a safetensors header is one JSON object"});
}

}  // namespace ridge::catalog
