#pragma once
// The deployment that somebody would choose who names none: the planner's, for whoever prices tokens.

#include "search/plan/plan.hpp"
#include "serve/cheapest_load.hpp"

namespace ridge {

/// Whether a question says how the model is laid out, in any degree.
bool names_layout(const ServingQuestion& question);

/// What chips are for, beside a question about one replica.
struct DeploymentAim {
  TpotSlo slo;
  std::optional<double> tokens_per_second;  // demand, input and output: whole replicas serve it
  unsigned threads = 1;
};

/// The cheapest deployment within the SLO, or at the question's own concurrency: what `ridge plan` chooses, and at its
/// load. Where a demand or a rate is given, the one whose whole replicas serve it at the lowest bill: a large replica that
/// is half idle may cost more than small ones that are not. A layout that the question names is kept. What was taken is
/// noted.
Result<Deployed> best_deployed(const ServingQuestion& question, const DeploymentAim& aim, const Library& library);

}  // namespace ridge
