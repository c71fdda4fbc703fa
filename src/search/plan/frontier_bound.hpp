#pragma once
// The bound of a plan's frontier: what no deployment of a machine exceeds, at each speed for a user. Prefill is counted, so
// that it stands beside throughput in which every chip is.

#include <vector>

#include "roofline/decode.hpp"
#include "search/plan/plan.hpp"

namespace ridge {

/// Output tokens a second: a user's, and at most so many of a chip that also computes the prompts.
struct BoundPoint {
  double user_rate = 0, chip_rate = 0;
};

/// What a request takes of the chips of one machine, in one choice of formats and draft tokens.
struct BoundGround {
  DecodeCase<double> numbers;  // of all chips that may share a step
  double prefill = 0;          // chip-seconds of a prompt
  double decoded = 0;          // tokens that steps give: the first comes with prefill
  double emitted = 1;          // tokens of a sequence in a step
  double osl = 0;
  double most = 0;        // requests that fit
  bool together = false;  // prefill may overlap with what a decode step reads
};

struct FrontierBound {
  std::size_t machine = 0;           // in the request's list
  std::vector<BoundGround> grounds;  // of which the best counts at each speed
  std::vector<BoundPoint> points;    // from the fullest batch to a batch of one: faster, and less of a chip
};

/// Of every machine of the request on which the model fits; the best of its formats and draft tokens at each speed.
std::vector<FrontierBound> frontier_bounds(const PlanRequest& request, const Library& library);

/// What a chip gives at most while a user has this speed; 0 where no step is so fast.
double chip_rate_at(const FrontierBound& bound, double user_rate);

}  // namespace ridge
