#pragma once
// Beside what load computed input costs what it costs.

#include <string>

#include "price/make/computed_input.hpp"

namespace ridge::report {

/// "1,024 prefill tokens per step (token budget 8,192)".
std::string prefill_in_flight(const ComputedInput& computed);

}  // namespace ridge::report
