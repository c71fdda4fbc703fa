#pragma once
// The last look at a model before it leaves this folder, whatever it was read from: nothing that is counted of it may be
// less than nothing, nothing at all, or no number.

#include <string_view>

#include "base/result.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// What cannot be true of a model read from `place`; empty where all is well. `what` names the sum.
Errors wrong_sums(const Model& model, std::string_view place);

}  // namespace ridge::catalog
