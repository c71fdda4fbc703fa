#include "price/make/step_costs.hpp"

#include <algorithm>

#include "serve/prefill_parts.hpp"

namespace ridge {

StepCosts<double> decode_costs(const ServingAnswer& answer, const Library& library) {
  const StepTimes<double>& step = answer.step;
  // the same batch with hardly any context reads the weights alone
  ServingQuestion bare = held(answer);
  bare.isl = bare.osl = 1;
  bare.cached = 0;
  bare.concurrency = std::max(1.0, answer.times.batch.value()) * answer.layout.replicas;
  const auto short_step = answer_serving(bare, library);
  const Seconds<double> weights =
      short_step && short_step->answer ? short_step->answer->step.memory : Seconds<double>(0.0);
  return step_costs(StepUse<double>{.compute = step.compute,
                                    .weights = weights,
                                    .context = step.memory - weights,
                                    .kernels = step.calibrated() - step.wire(),
                                    .step = answer.times.decode_step,
                                    .engine = answer.times.around + answer.times.drafting,
                                    .idle = {}});
}

std::optional<StepCosts<double>> prefill_costs(const ServingAnswer& answer, const Library& library) {
  const auto parts = prefill_parts(answer, library);
  if (!parts) return std::nullopt;
  return step_costs(StepUse<double>{.compute = parts->compute,
                                    .weights = parts->weights,
                                    .context = parts->context,
                                    .kernels = parts->kernels,
                                    .step = parts->total,
                                    .engine = parts->engine,
                                    .idle = parts->idle});
}

}  // namespace ridge
