#pragma once
// What no measurement can beat: a deployment's step at datasheet peaks, every resource alone.

#include "serve/deployment.hpp"

namespace ridge {

/// Of a bare decode step under a load: TPOT cannot be shorter.
double step_bound(const Deployment& deployment, const ServingLoad<double>& load);

/// Of one prompt's prefill by itself.
double prefill_bound(const Deployment& deployment, const ServingLoad<double>& load);

}  // namespace ridge
