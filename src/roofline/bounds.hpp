#pragma once
// Outputs over a box of inputs: what every figure may be when some inputs are only known as ranges.

#include <array>
#include <vector>

#include "base/number/box_bounds.hpp"
#include "roofline/decode.hpp"

namespace ridge {

/// Bounds that contain the figure at every point of the box; see base/number/box_bounds.hpp. What follows from experts.count
/// moves with it.
std::array<Interval, kDecodeOutputs> bound_decode(const DecodeCase<double>& c, const std::vector<RangedInput>& ranges,
                                                  int most_boxes = 8192);

}  // namespace ridge
