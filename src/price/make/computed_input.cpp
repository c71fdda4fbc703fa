#include "price/make/computed_input.hpp"

#include <algorithm>

namespace ridge {

std::optional<ComputedInput> computed_input(const Deployment& deployment, const RequestLoad& load) {
  ComputedInput out;
  out.load = load;
  out.load.cached = 0;
  const ServingEstimate estimate = evaluate(deployment, out.load);
  if (!fits(deployment, estimate)) return std::nullopt;
  const EngineSettings& engine = deployment.ground.engine;
  const double prompts = engine.disaggregated ? 1.0 : std::max(1.0, estimate.times.prefills_per_step.value());
  out.cost = estimate.input_cost;
  out.time = estimate.times.prefill_time;
  out.parts = prefill_costs(estimate);
  out.token_budget = Tokens<double>(engine.token_budget);
  out.at_once = Tokens<double>(std::min(engine.token_budget, prompts * load.isl));
  return out;
}

}  // namespace ridge
