#pragma once
// Predicted against measured, as pictures: what `ridge validate --svg` draws.

#include "report/calibrate/validation_text.hpp"
#include "report/chart/scatter.hpp"

namespace ridge::report {

/// Left-out predictions where there are some, else those of the rows that were fitted; the titles say which.
struct ValidationCharts {
  Scatter tpot, prefill, kernels;
};
ValidationCharts validation_charts(const ValidationReport& report);

}  // namespace ridge::report
