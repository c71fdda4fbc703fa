#pragma once
// How many requests somebody would keep in flight who promises a time per token and nothing else.

#include "base/units.hpp"
#include "serve/serving.hpp"

namespace ridge {

struct TpotSlo {
  Seconds<double> tpot{0.05};
  bool given = false;
};

/// A promise of nothing, or one beside a load that was given.
Errors slo_errors(const TpotSlo& slo, const ServingQuestion& question);

/// The whole bill over all tokens.
DollarsPerToken<double> cost_of(const ServingAnswer& answer);

/// Replaces an answer by that with the load that makes a token cheapest among those that keep the promise, and notes it;
/// where none does, the answer stays, with a note.
void choose_load(ServingAnswer& answer, const TpotSlo& slo, const Library& library);

}  // namespace ridge
