#pragma once
// The answer of `ridge tier`: screen, charts, JSON.

#include <string>

#include "base/result.hpp"
#include "price/tier/tier_answer.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"

namespace ridge::report {

std::string tier_text(const TierAnswer& answer, const Style& style);
std::string tier_json(const TierAnswer& answer);

/// How the costs of one tier come about.
Result<std::string> tier_derivation(const TierAnswer& answer, std::string_view tier, int depth, const Library& library,
                                    const Style& style);

/// "300 s" as "5 min", "1.26 day" as "1.26 days": times as people say them.
std::string period_text(const Seconds<double>& time);
/// "70.27 kB": what a token takes.
std::string token_bytes(const BytesPerToken<double>& bytes, int digits = 4);

/// "cost": what keeping a million tokens costs against the time, and where the lines cross; "map": which place is best
/// by time and chance of use; "fleet": what a use costs against the time to live.
Result<Chart> tier_chart(const TierAnswer& answer, std::string_view what);

}  // namespace ridge::report
