#pragma once
// A calibrated answer read otherwise: which number it hangs on, and what every figure may be over ranges of inputs. The
// same equations, differentiated and bounded.

#include <array>
#include <string>
#include <vector>

#include "base/number/box_bounds.hpp"
#include "serve/estimate.hpp"

namespace ridge {

/// Percent change of the figures for one percent more of an input.
struct ServingElasticity {
  std::string input;
  double tpot = 0, ttft = 0, requests = 0, cost = 0;
};

/// For every peak, calibrated number, price and load, the strongest on the time per token first; on requests a second
/// where there is no such time.
std::vector<ServingElasticity> serving_sensitivity(const Deployment& deployment, const RequestLoad& load);

/// Bounds that contain every figure at every point of the box; see base/number/box_bounds.hpp.
std::array<Interval, kServingOutputs> bound_serving(const Deployment& deployment, const RequestLoad& load,
                                                    const std::vector<RangedInput>& ranges, int most_boxes = 256);

}  // namespace ridge
