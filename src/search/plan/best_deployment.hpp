#pragma once
// The deployment that somebody would choose who names none: the planner's, for whoever prices tokens.

#include "search/plan/plan.hpp"
#include "serve/cheapest_load.hpp"

namespace ridge {

/// Whether a question says how the model is laid out, in any degree.
bool names_layout(const ServingQuestion& question);

/// The cheapest deployment within the SLO, or at the question's own concurrency: what `ridge plan` chooses, and at its
/// load. A layout that the question names is kept, and so is a rate. What was taken is noted.
Result<Deployed> best_deployed(const ServingQuestion& question, const TpotSlo& slo, unsigned threads,
                               const Library& library);

}  // namespace ridge
