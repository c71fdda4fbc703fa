#pragma once
// A model along one of its dimensions, served: as a table, JSON and a chart.

#include <string>

#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/shape/shape_curve.hpp"

namespace ridge::report {

std::string shape_curve_text(const ShapeCurve& curve, const Style& style);
std::string shape_curve_json(const ShapeCurve& curve);
/// $/Mtok along the dimension, with what a law says the model is worth in its labels.
Chart shape_chart(const ShapeCurve& curve);

}  // namespace ridge::report
