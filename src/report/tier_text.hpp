#pragma once
// The answer of `ridge tier`: screen, charts, JSON.

#include <string>

#include "base/result.hpp"
#include "price/tier_answer.hpp"
#include "report/chart.hpp"
#include "report/style.hpp"

namespace ridge::report {

std::string tier_text(const TierAnswer& answer, const Style& style);
std::string tier_json(const TierAnswer& answer);

/// "cost": what keeping a million tokens costs against the time, and where the lines cross; "map": which place is best
/// by time and chance of use; "fleet": what a use costs against the time to live.
Result<Chart> tier_chart(const TierAnswer& answer, std::string_view what);

}  // namespace ridge::report
