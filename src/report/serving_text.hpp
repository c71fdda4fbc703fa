#pragma once
// The answer to an operator's question, for a terminal and as JSON.

#include <optional>
#include <string>

#include "calibrate/nearest.hpp"
#include "report/style.hpp"

namespace ridge::report {

std::string serving_text(const ServingAnswer& answer, const std::optional<NearestRun>& nearest, const Style& style);
/// What each chip holds, and the room an engine reports for its cache.
std::string serving_fit_text(const ServingAnswer& answer, const Style& style);
std::string shortfall_text(const ServingShortfall& shortfall, const ServingQuestion& question, const Style& style);
std::string serving_json(const ServingResult& result, const std::optional<NearestRun>& nearest);

}  // namespace ridge::report
