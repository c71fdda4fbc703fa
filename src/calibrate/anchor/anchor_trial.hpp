#pragma once
// What one's own measurement is worth: every chip is left out of the fit with its kernels and its runs, one run of it is
// given back as an anchor, and its other runs judge the answer, before and after. For every choice of that run.

#include "calibrate/judge/validate.hpp"

namespace ridge {

/// Lines of one chip each: all its other runs, those of the anchor's model, before and after; then the same with a whole
/// sweep over concurrency as the anchor.
Result<LeftOut> anchor_trials(const Evidence& evidence, const Library& library);

}  // namespace ridge
