#include "serve/steady.ipp"

namespace ridge {

template StepTimes<double> step_times(const StepPlan&, const ChipRates<double>&, const StepLoad<double>&);
template struct StepTimes<double>;
template ServingTimes<double> serving_times(const StepPlan&, const ChipRates<double>&, const EngineCalibration<double>&,
                                            const ServingLoad<double>&);

}  // namespace ridge
