#pragma once
// Numbers that a scenario holds for a model, machine or format lose their meaning when another one is chosen.

#include <string_view>

#include "roofline/scenario.hpp"

namespace ridge {

/// Drops the given inputs that belong to what `option` ("machine", "weights", "kv", ...) is about to replace.
void forget_dependents(Scenario& scenario, std::string_view option);

}  // namespace ridge
