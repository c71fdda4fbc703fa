#pragma once
// The measured run most like a question, and how far from it the question lies.

#include <optional>

#include "calibrate/fit/serving_fit.hpp"
#include "serve/serving.hpp"

namespace ridge {

/// What makes runs alike.
struct RunTraits {
  std::string model, chip, engine;
  double concurrency = 1, isl = 1, osl = 1, chips = 1, expert = 1;
};
/// Another model or chip is further away than any load; doublings count alike.
double distance_between(const RunTraits& one, const RunTraits& other);

/// What a measured run has in common with a question.
struct RunMatch {
  bool model = false;      // the same, or one of the same shape (DeepSeek-R1 is V3 trained on)
  bool precision = false;  // of the weights
  bool machine = false;    // the same chip
  bool engine = false;
  bool mode = false;  // aggregated or disaggregated

  bool all() const { return model && precision && machine && engine && mode; }
};

struct NearestRun {
  const ServingRow* row = nullptr;
  RunMatch same;
  double predicted = 0;              // s a token, for that row
  std::vector<std::string> outside;  // what of the question no run covers
};

/// The same model first, then the same precision, machine, engine and way of serving, in this order; among equals the load
/// and layout with the fewest doublings between. Nothing where there is no credible run at all.
std::optional<NearestRun> nearest_run(const ServingAnswer& answer, const Evidence& evidence, const Library& library);

}  // namespace ridge
