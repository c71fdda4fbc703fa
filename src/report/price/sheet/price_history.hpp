#pragma once
// How a family's prices moved: screen, chart, JSON.

#include <string>

#include "price/sheet/history.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"

namespace ridge::report {

std::string price_history_text(const PriceHistory& history, const Style& style);
std::string price_history_json(const PriceHistory& history);

/// Prices against time, as levels that hold until they change: the cheapest of a class at each date.
Chart price_history_chart(const PriceHistory& history);

}  // namespace ridge::report
