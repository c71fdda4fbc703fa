#include "serve/serving_figures.ipp"

namespace ridge {

template ServingFigures serving_figures(const StepOperations&, const ChipPaces<double>&, const ServingTimes<double>&,
                                        const ServingTerms&, const PrefillPool&);

}  // namespace ridge
