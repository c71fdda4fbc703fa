#include "train/step/training_step.ipp"

namespace ridge {

template TrainingLayerTimes<double> layer_times(const TrainingOperations&, std::size_t, const TrainingRates<double>&,
                                                const TrainingLoad&);
template TrainingTimes<double> training_times(const TrainingOperations&, const std::vector<StageLayers>&,
                                              const HeldParams&, const TrainingRecipe&, const TrainingRates<double>&,
                                              const TrainingLoad&);

}  // namespace ridge
