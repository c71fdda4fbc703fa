#pragma once
// What a reader of an answer should know about the case it rests on.

#include <string>
#include <vector>

#include "roofline/scenario.hpp"

namespace ridge {

/// `machine` may be null: a complete scenario need not name one from the catalog.
std::vector<std::string> notes_on(const ResolvedCase& resolved, const Scenario& scenario, const Machine* machine);

}  // namespace ridge
