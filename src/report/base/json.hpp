#pragma once
// What the JSON reports share. A heavy header: only the *_json files of report/ include it.

#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/clean_text.hpp"
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

/// Strings from files may hold broken UTF-8; it is replaced rather than refused.
inline std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// The resolved case: every input with its source.
Json case_json(const ResolvedCase& resolved);

}  // namespace ridge::report
