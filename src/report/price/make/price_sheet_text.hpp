#pragma once
// The answer of `ridge price`: screen, chart, JSON.

#include <string>
#include <vector>

#include "price/make/price_answer.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "report/derive/derivation.hpp"
#include "search/fleet/fleet.hpp"

namespace ridge::report {

/// `fleet`: what it is sold from, where that was planned.
std::string price_sheet_text(const PriceAnswer& answer, const Style& style, const FleetAnswer* fleet = nullptr);

/// Price of output against a user's speed, along the batch.
Chart price_chart(const PriceAnswer& answer);

/// The inputs, with what they are and where from.
std::vector<DerivationInput> derivation_inputs(const PriceAnswer& answer);

std::string price_sheet_json(const PriceAnswer& answer, const FleetAnswer* fleet = nullptr);

}  // namespace ridge::report
