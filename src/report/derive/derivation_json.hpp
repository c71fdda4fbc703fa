#pragma once
// Inputs and derivations for programs, the same in every answer that has them.

#include <span>

#include "report/base/json.hpp"
#include "report/derive/derivation.hpp"

namespace ridge::report {

/// An input with its source.
Json input_json(const DerivationInput& input);

/// Every line below the figures, by its symbol.
Json derivation_json(std::span<const Traced> figures);

}  // namespace ridge::report
