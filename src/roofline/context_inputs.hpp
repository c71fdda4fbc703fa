#pragma once
// What a token of context costs a model to keep, to read and to compute: the inputs of a case, by the limits they grow to.

#include "base/known_inputs.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

/// In the formats of `precision`; `kv_chosen`: the cache's is not the released one.
Result<std::vector<KnownInput>> context_inputs(const Model& model, const Precisions& precision, bool kv_chosen,
                                               const std::vector<Format>& formats);

}  // namespace ridge
