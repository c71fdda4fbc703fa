#pragma once
// Outputs over a box of inputs: what every figure may be when some inputs are only known as ranges.

#include <array>
#include <vector>

#include "base/interval.hpp"
#include "serve/decode.hpp"

namespace ridge {

/// An input that is only known to lie between two values.
struct RangedInput {
  std::size_t index = 0;  // in visit_inputs
  Interval values;
};

/// Bounds that contain the figure at every point of the box. An input that stands twice in an equation would widen plain
/// interval arithmetic; so where the slopes show a figure to be monotone over the box it is taken at its corners. Where
/// they do not, the mean value theorem (the middle, plus slopes times distances) narrows the result, and the box is
/// halved where it may still move the answer, into at most `most_boxes` pieces (fewer with
/// more ranges, which make each piece dearer).
std::array<Interval, kDecodeOutputs> bound_decode(const DecodeCase<double>& c, const std::vector<RangedInput>& ranges,
                                                  int most_boxes = 8192);

}  // namespace ridge
