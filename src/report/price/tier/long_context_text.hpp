#pragma once
// The answer of `ridge context`: screen, chart, JSON.

#include <string>

#include "price/tier/long_context.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"

namespace ridge::report {

std::string long_context_text(const LongContextAnswer& answer, const Style& style);
std::string long_context_json(const LongContextAnswer& answer);
/// Cost of a token against the context, a line a model, and where reading context takes as long as computing.
Chart long_context_chart(const LongContextAnswer& answer);

}  // namespace ridge::report
