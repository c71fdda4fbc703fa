#pragma once
// Requests a second as people write them: "50", "50/s", "50 req/s", "3k/h", "50 rps", "2M requests a day".

#include <string_view>

#include "base/result.hpp"

namespace ridge {

/// Requests a second. A bare number is of a second; tokens are refused, for a rate of requests does not follow from theirs
/// alone.
Result<double> parse_request_rate(std::string_view text, std::string_view where);

}  // namespace ridge
