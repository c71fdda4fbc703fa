#pragma once
// By how much a number has to change until something else holds.

#include <optional>

namespace ridge {

/// The factor nearest to 1, up to `most` either way, from which on `holds(factor)`: found between two neighbors of the
/// powers of two, to ten digits. Nothing where it holds at none of them. Of more and less, the smaller change.
template <class Holds>
std::optional<double> nearest_factor(const Holds& holds, double most = 1024) {
  constexpr int kHalvings = 34;
  for (double near = 1; near < most; near *= 2) {
    for (const bool more : {true, false}) {
      const auto factor = [&](double change) { return more ? change : 1 / change; };
      if (!holds(factor(2 * near))) continue;
      double not_yet = near, then = 2 * near;
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = (not_yet + then) / 2;
        (holds(factor(middle)) ? then : not_yet) = middle;
      }
      return factor(then);
    }
  }
  return {};
}

}  // namespace ridge
