#include "serve/step/steady.ipp"

namespace ridge {

template StepTimes<double> step_times(const StepOperations&, const ChipPaces<double>&, const StepLoad<double>&);
template struct StepTimes<double>;
template Seconds<double> network_bound(const StepOperations&, const ChipPeaks<double>&, const Ratio<double>&);
template Seconds<double> overlapped_step(const StepOperations&, const ChipPaces<double>&, const StepLoad<double>&,
                                         Overlap);
template ServingTimes<double> serving_times(const StepOperations&, const ChipPaces<double>&,
                                            const EngineCalibration<double>&, const ServingLoad<double>&);
template Seconds<double> prefill_alone_time(const StepOperations&, const ChipPaces<double>&,
                                            const EngineCalibration<double>&, const ServingLoad<double>&);
template ServingTimes<double> serving_times(const StepOperations&, const ChipPaces<double>&,
                                            const EngineCalibration<double>&, const ServingLoad<double>&,
                                            const Seconds<double>&);

}  // namespace ridge
