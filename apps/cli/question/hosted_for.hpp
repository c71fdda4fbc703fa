#pragma once
// The deployment of `ridge host` for commands that work on it.

#include <optional>

#include "price/money/host.hpp"

namespace ridge::cli {

/// What `ridge host` has for a scenario and prompts of so many tokens; nothing where the scenario says of its model or its
/// machine what no deployment reads.
std::optional<Result<ServingResult>> hosted_for(const Scenario& scenario, double isl, const Library& library);

}  // namespace ridge::cli
