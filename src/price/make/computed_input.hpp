#pragma once
// What computing input costs on a deployment: for a price sheet's fresh input, and for context that nobody kept.

#include <optional>

#include "price/make/step_costs.hpp"
#include "serve/serving.hpp"

namespace ridge {

struct ComputedInput {
  DollarsPerToken<double> cost{};
  Seconds<double> time{};         // of one request's input: its prefill, or what that adds to the steps of others
  StepCosts<double> parts;        // where it goes
  Tokens<double> at_once{};       // prefill tokens of one step, in each attention group
  Tokens<double> token_budget{};  // of the engine: the most there can be
  RequestLoad load;               // beside which it is computed
};

/// The input of a deployment's requests, none of it cached, at the load that it has. As many prompts are in a step as
/// arrive meanwhile, at least one, and never more tokens than the engine's token budget. None where it has no room.
std::optional<ComputedInput> computed_input(const Deployment& deployment, const RequestLoad& load);

}  // namespace ridge
