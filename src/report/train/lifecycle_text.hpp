#pragma once
// The answer of `ridge lifecycle`: screen, chart, JSON.

#include <optional>
#include <string>
#include <vector>

#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "report/derive/derivation.hpp"
#include "train/lifecycle_answer.hpp"

namespace ridge::report {

std::string lifecycle_text(const LifecycleAnswer& answer, const Style& style);
std::string lifecycle_sensitivity_text(const std::vector<LifecycleElasticity>& all, const Style& style);
std::string lifecycle_range_text(const FigureBounds& bounds, const LifecycleEstimate<double>& estimate,
                                 const Style& style);

/// Cost against size at the plan's loss: pre-training falls, the others rise, and the whole is flat around its least.
Chart lifecycle_chart(const LifecycleAnswer& answer);

struct LifecycleExtras {
  std::optional<std::vector<LifecycleElasticity>> sensitivity;
  std::optional<FigureBounds> bounds;
};
std::string lifecycle_json(const LifecycleAnswer& answer, const LifecycleExtras& extras);

}  // namespace ridge::report
