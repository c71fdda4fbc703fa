#pragma once
// What routed tokens reach, where every token chooses at random and all choices are equally likely. Each equation once,
// over any scalar: experts that a batch needs, chips and racks that a token is sent to.

#include "base/number/units.hpp"

namespace ridge {

/// Share of all places that somebody of so many `choices` lands in, if each takes so large a `share` of them:
/// 1 - (1 - p)^n. With p = k / E and n tokens it is the share of the experts that a batch needs.
template <class S>
Ratio<S> coverage(const Ratio<S>& share, const Ratio<S>& choices) {
  const auto one = literal<Ratio<S>>(1.0);
  return one - pow(one - share, choices);
}

/// Places that somebody of so many choices of one place lands in: p (1 - (1 - 1/p)^n).
template <class S>
Ratio<S> places_reached(const Ratio<S>& places, const Ratio<S>& choices) {
  return places * coverage(literal<Ratio<S>>(1.0) / places, choices);
}

}  // namespace ridge
