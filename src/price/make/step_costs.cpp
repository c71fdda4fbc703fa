#include "price/make/step_costs.hpp"

namespace ridge {

StepCosts<double> decode_costs(const ServingEstimate& estimate) {
  if (estimate.times.decode_step.value() == 0) return {};  // nothing is decoded
  const StepTimes<double>& step = estimate.step;
  return step_costs(StepUse<double>{.compute = step.compute,
                                    .weights = step.weights_read,
                                    .context = step.kv_read,
                                    .kernels = step.calibrated() - step.wire(),
                                    .step = estimate.times.decode_step,
                                    .engine = estimate.times.around + estimate.times.drafting,
                                    .idle = {}});
}

StepCosts<double> prefill_costs(const ServingEstimate& estimate) {
  const PrefillParts& parts = estimate.prefill;
  return step_costs(StepUse<double>{.compute = parts.compute,
                                    .weights = parts.weights,
                                    .context = parts.kv,
                                    .kernels = parts.kernels,
                                    .step = parts.total,
                                    .engine = parts.engine,
                                    .idle = parts.idle});
}

}  // namespace ridge
