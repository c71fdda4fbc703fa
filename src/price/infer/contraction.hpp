#pragma once
// What a sheet leaves of a box of unknowns. Ends of each range are cut off while the equations cannot meet the sheet
// there, whatever the other unknowns are within theirs: what is left contains every provider that explains the sheet.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/number/interval.hpp"
#include "price/infer/observables.hpp"

namespace ridge {

using UnknownBox = std::array<Interval, kUnknowns>;

/// An observable that must lie within a range.
struct Constraint {
  Observable what;
  Interval target;
};

/// The observable over a box, no wider than its monotone directions show.
Interval bound_observable(Observable what, const UnknownBox& box, const FastMode& fast);

/// The box without what contradicts the constraints; none where nothing is left. Rigorous: rounding is outward.
/// Halving the box and contracting the pieces was tried, up to 256 of them: it took nothing more off.
std::optional<UnknownBox> contract(const UnknownBox& box, const std::vector<Constraint>& constraints,
                                   const FastMode& fast);

}  // namespace ridge
