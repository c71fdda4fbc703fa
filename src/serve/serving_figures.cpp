#include "serve/serving_figures.ipp"

namespace ridge {

template ServingFigures serving_figures(const StepPlan&, const ChipPaces<double>&, const ServingTimes<double>&,
                                        const ServingTerms&, const PromptPool&);
template double sequences_that_fit(const StepPlan&, double, double, double);

}  // namespace ridge
