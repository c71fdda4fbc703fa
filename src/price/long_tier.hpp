#pragma once
// Where a price sheet would put its step for long contexts: given what tokens of each length cost and how many there
// are, the one threshold that leaves least between price and cost.

#include <optional>
#include <vector>

#include "price/sheet_terms.hpp"

namespace ridge {

/// Tokens that are asked for in requests of one length: shares sum to one.
struct DemandBand {
  Tokens<double> length;
  double share = 0;
};

/// A log-normal demand of tokens over lengths, up to a longest, in so many bands.
std::vector<DemandBand> lognormal_demand(const Tokens<double>& median, double spread, const Tokens<double>& longest);

struct LongStep {
  Tokens<double> above;
  double input = 1, output = 1;       // mean cost above the step over that below
  double share = 0;                   // of the tokens that are above
  double deviation = 0, without = 0;  // of price from cost, root of the mean square over the mean: with and without
};

/// The step that makes the mean square of (price - cost) of output least, tokens counted equally, where each side pays
/// its mean cost; none where one length is all there is.
std::optional<LongStep> best_step(const SheetCase<double>& c, const std::vector<DemandBand>& demand);

}  // namespace ridge
