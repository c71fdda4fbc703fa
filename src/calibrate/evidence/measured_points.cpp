#include "calibrate/evidence/measured_points.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "calibrate/fit/serving_fit.hpp"

namespace ridge {

namespace {

/// Whether the plan tried the precision a run had; a run's label names the narrowest numbers of its checkpoint.
bool tried_precision(const PlanRequest& request, const ServingRow& row, const Model& model) {
  const bool released = (row.format == "fp8" && model.precision.value.weights.starts_with("fp8")) ||
                        row.format == model.precision.value.experts || row.format == model.precision.value.weights;
  return std::any_of(request.weights.begin(), request.weights.end(),
                     [&](const std::optional<std::string>& tried) { return tried ? *tried == row.format : released; });
}

bool is_near(double one, double other) { return std::abs(one - other) <= kNearLength * other; }

}  // namespace

std::vector<MeasuredPoint> measured_points(const PlanAnswer& plan, const Evidence& evidence, const Library& library) {
  std::vector<MeasuredPoint> out;
  const ServingQuestion& question = plan.request.question;
  const Model* model = find_named(library.models, question.scenario.model);
  if (model == nullptr) return out;
  for (const ServingRow& row : evidence.serving) {
    const bool credible = row.wrong.empty() && !row.speculative && row.tpot > 0 && row.rate_of_all() > 0;
    const bool serves = row.mode == "aggregated" || row.mode == "disaggregated";
    if (!credible || !serves || row.cached != question.cached) continue;
    if (row.model != model->name || !is_near(row.isl, question.isl) || !is_near(row.osl, question.osl)) continue;
    if (engine_of(row) != question.engine) continue;
    const auto machine = std::find_if(plan.machines.begin(), plan.machines.end(),
                                      [&](const PlanMachine& one) { return one.name == row.machine; });
    if (machine == plan.machines.end() || !tried_precision(plan.request, row, *model)) continue;
    out.push_back({static_cast<std::size_t>(machine - plan.machines.begin()), 1 / row.tpot, row.rate_of_all(),
                   machine->price / row.rate_of_all(), &row});
  }
  std::stable_sort(out.begin(), out.end(), [](const MeasuredPoint& a, const MeasuredPoint& b) {
    return std::pair(a.row->isl, a.row->osl) < std::pair(b.row->isl, b.row->osl);
  });
  return out;
}

}  // namespace ridge
