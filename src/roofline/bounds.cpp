#include "roofline/bounds.hpp"

#include <algorithm>

#include "base/case_figures.hpp"
#include "roofline/expert_followers.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

std::array<Interval, kDecodeOutputs> bound_decode(const DecodeCase<double>& given,
                                                  const std::vector<RangedInput>& ranges, int most_boxes) {
  DecodeCase<double> c = given;
  for (const RangedInput& range : ranges) mark_part(c.has, range.index);
  const std::size_t experts = input_index("experts.count");
  const bool follow = c.follows.known() && std::any_of(ranges.begin(), ranges.end(), [&](const RangedInput& range) {
                        return range.index == experts;
                      });
  const CaseFigures figures{
      c, [&](const auto& over) { return estimate_decode(follow ? with_expert_followers(over, c) : over); }};
  const FigureBounds bounds = BoxBounds(figures).over(ranges, most_boxes);
  std::array<Interval, kDecodeOutputs> result;
  std::copy(bounds.begin(), bounds.end(), result.begin());
  return result;
}

}  // namespace ridge
