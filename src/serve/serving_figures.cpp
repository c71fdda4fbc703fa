#include "serve/serving_figures.ipp"

namespace ridge {

template ServingFigures serving_figures(const StepOperations&, const ChipPaces<double>&, const ServingTimes<double>&,
                                        const ServingTerms&, const PrefillPool&);
template double sequences_that_fit(const StepOperations&, const MemoryShare&, double, double);

}  // namespace ridge
