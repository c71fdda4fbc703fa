#pragma once
// A price sheet as JSON, for every report that holds one. A heavy header: for *_json.cpp files.

#include "price/sheet/sheet.hpp"
#include "report/base/json.hpp"

namespace ridge::report {

/// In base units: dollars a token, seconds, tokens.
Json sheet_json(const PriceSheet& sheet);

}  // namespace ridge::report
