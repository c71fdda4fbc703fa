#pragma once
// What the JSON reports share. A heavy header: only the *_json files of report/ include it.

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text/clean_text.hpp"
#include "roofline/scenario.hpp"

namespace ridge::report {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: a figure that does not exist is null. One that is no number is our bug, which the command line
/// says in place of the answer.
inline Json json_number(double value) {
  if (std::isnan(value)) return Json(kNoNumber);
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// A figure whose 0 says that there is none: no TPOT where nothing is decoded, no energy where the power is not known.
inline Json json_if_any(double value) { return value == 0 ? Json(nullptr) : json_number(value); }

/// Counts are whole numbers, and look like it.
inline Json json_count(double value) {
  return std::isfinite(value) && std::fabs(value) < 9e15 && value == std::floor(value)
             ? Json(static_cast<std::int64_t>(value))
             : json_number(value);
}

/// Members in their order, each under a key of its own, with room for all: a list in braces allocates each of them three times,
/// and an object that grows copies all its keys. For what an answer has dozens of.
class JsonMembers {
 public:
  explicit JsonMembers(std::size_t count) : object_(Json::object()) { members().reserve(count); }
  template <class Value>
  JsonMembers& add(std::string_view key, Value&& value) {
    members().emplace_back(std::string(key), Json(std::forward<Value>(value)));
    return *this;
  }
  Json take() { return std::move(object_); }

 private:
  Json::object_t& members() { return object_.get_ref<Json::object_t&>(); }
  Json object_;
};

/// As json.dump(2) has it, and a line end. Strings from files may hold broken UTF-8; it is replaced rather than refused.
std::string dumped(const Json& json);

/// The resolved case: every input with its source.
Json case_json(const ResolvedCase& resolved);

}  // namespace ridge::report
