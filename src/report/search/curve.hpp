#pragma once
// A curve as a table, CSV, JSON and a chart.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/sweep/curve.hpp"

namespace ridge::report {

/// What is on the y axis: "step" (times of the parts) or "cost" ($/Mtok with its floor).
Result<Chart> curve_chart(const Curve& curve, const WhyAnswer& answer, std::string_view y);

std::string curve_table(const Curve& curve, const Style& style);
/// What the sparsest point is worth under the law of experts, and where that law is stretched.
std::string quality_text(const Curve& curve, std::string_view law, std::string_view note, const Style& style);
/// Every input that moved and every output, in base units, one row a point.
std::string curve_csv(const Curve& curve);
/// `extrapolation`: what is to be said of the law of experts, where one is used beyond what it was fitted on.
std::string curve_json(const Curve& curve, const WhyAnswer& answer, std::string_view extrapolation = "");

}  // namespace ridge::report
