#pragma once
// Where a price sheet puts its step for long contexts: given what tokens cost in requests of each length and how many
// there are, the one threshold that moves least money between customers.

#include <optional>
#include <vector>

#include "price/make/sheet_terms.hpp"

namespace ridge {

/// Input tokens in requests of one length: shares sum to one.
struct DemandBand {
  Tokens<double> length;
  double share = 0;
};

/// Mean over requests.
Tokens<double> mean_prompt(const std::vector<DemandBand>& bands);

/// Prompts that are log-normal with this mean length, up to a longest, in bands; one length where the longest is too
/// short for such a mean.
std::vector<DemandBand> lognormal_demand(const Tokens<double>& prompt, double spread, const Tokens<double>& longest);

/// What tokens cost in requests of one length.
struct BandCost {
  DemandBand band;
  DollarsPerToken<double> input{}, output{};
};

/// Requests on one side of the step, each with an answer of the same length: means over input tokens, output tokens and
/// requests.
struct DemandSide {
  double tokens = 0, requests = 0;             // of input; both as shares of all
  DollarsPerToken<double> input{}, output{};   // mean costs
  Tokens<double> prompt{}, prompt_of_token{};  // mean length, of a request and as a token of input sees it
};

struct PriceBreakChoice {
  Tokens<double> above{};
  DemandSide below, over;
  double moved = 0, moved_without = 0;  // money that some pay for others, over all of it: with the step and with none

  /// Mean cost above the step over that below.
  double input() const { return (over.input / below.input).value(); }
  double output() const { return (over.output / below.output).value(); }
};

/// All of the demand at one price.
DemandSide whole_demand(const std::vector<BandCost>& costs);

/// The step, at a round number between two lengths, where each side pays its mean cost and the least money moves from requests that cost less than they pay to
/// those that cost more; none where one length is all there is, or
/// longer requests cost less.
std::optional<PriceBreakChoice> best_step(std::vector<BandCost> costs, const Tokens<double>& answer);

}  // namespace ridge
