#include "price/infer/contraction.hpp"

#include <algorithm>
#include <cmath>

#include "base/number/dual.hpp"

namespace ridge {

namespace {

using Slope = BasicDual<Interval>;

enum class Direction { flat, rising, falling, unknown };
using Directions = std::array<Direction, kUnknowns>;

Interval at(Observable what, const UnknownBox& box, const FastMode& fast) {
  return observe(what, provider_of<Interval>([&](std::size_t i) { return box[i]; }), fast);
}

/// How an observable moves with each unknown over a box; holds for every box inside.
Directions directions_of(Observable what, const UnknownBox& box, const FastMode& fast) {
  Directions all;
  for (std::size_t along = 0; along < kUnknowns; ++along) {
    const Slope slope = observe(
        what, provider_of<Slope>([&](std::size_t i) { return Slope(box[i], Interval(i == along ? 1.0 : 0.0)); }), fast);
    all[along] = slope.slope.is_zero()     ? Direction::flat
                 : slope.slope.low >= 0.0  ? Direction::rising
                 : slope.slope.high <= 0.0 ? Direction::falling
                                           : Direction::unknown;
  }
  return all;
}

/// The corner of a box where the monotone unknowns make an observable smallest, or largest.
UnknownBox corner(const UnknownBox& box, const Directions& directions, bool largest) {
  UnknownBox out = box;
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    if (directions[i] == Direction::flat) out[i] = Interval(box[i].low);
    if (directions[i] == Direction::rising) out[i] = Interval(largest ? box[i].high : box[i].low);
    if (directions[i] == Direction::falling) out[i] = Interval(largest ? box[i].low : box[i].high);
  }
  return out;
}
double lowest(Observable what, const UnknownBox& box, const Directions& directions, const FastMode& fast) {
  return at(what, corner(box, directions, false), fast).low;
}
double highest(Observable what, const UnknownBox& box, const Directions& directions, const FastMode& fast) {
  return at(what, corner(box, directions, true), fast).high;
}

/// One equation of a sheet over a box whose directions are known.
struct Equation {
  const Constraint& constraint;
  const Directions& directions;
  const FastMode& fast;

  bool misses(const UnknownBox& box) const {
    if (lowest(constraint.what, box, directions, fast) > constraint.target.high) return true;
    return highest(constraint.what, box, directions, fast) < constraint.target.low;
  }
};

/// What is left of one unknown, and the share that was cut off.
struct Cut {
  Interval left;
  double share = 0.0;
};

/// Cuts off the largest piece at one end in which the observable misses its target. A piece of a piece that misses does
/// too, so halving finds the largest; what is cut was shown to miss. Where the smallest piece worth cutting does not
/// miss, nothing is.
Cut cut_off(const Equation& equation, const UnknownBox& box, std::size_t unknown, bool low_end) {
  constexpr int kHalvings = 8;
  constexpr double kLeast = 1.0 / 64;
  const Interval whole = box[unknown];
  if (!(whole.high > whole.low * (1 + 1e-9))) return {whole};
  const double span = whole.high / whole.low;
  const auto end_at = [&](double share) {
    return low_end ? whole.low * std::pow(span, share) : whole.high / std::pow(span, share);
  };
  const auto piece_misses = [&](double share) {
    UnknownBox piece = box;
    piece[unknown] = low_end ? Interval(whole.low, end_at(share)) : Interval(end_at(share), whole.high);
    return equation.misses(piece);
  };
  if (!piece_misses(kLeast)) return {whole};
  double shown = kLeast, open = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double share = (shown + open) / 2;
    (piece_misses(share) ? shown : open) = share;
  }
  return low_end ? Cut{{std::min(end_at(shown), whole.high), whole.high}, shown}
                 : Cut{{whole.low, std::max(end_at(shown), whole.low)}, shown};
}

/// The box without what an equation excludes at the ends of its unknowns, each end again while that was most of what
/// there was; none where nothing is left.
std::optional<UnknownBox> contracted(UnknownBox box, const Constraint& constraint, const FastMode& fast) {
  constexpr int kMost = 6;
  const Directions directions = directions_of(constraint.what, box, fast);
  const Equation equation{constraint, directions, fast};
  if (equation.misses(box)) return std::nullopt;
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    if (directions[i] == Direction::flat || !(box[i].high > box[i].low)) continue;
    for (const bool low_end : {true, false}) {
      double share = 1.0;
      for (int cuts = 0; cuts < kMost && share > 0.5; ++cuts) {
        const Cut cut = cut_off(equation, box, i, low_end);
        box[i] = cut.left;
        share = cut.share;
      }
    }
  }
  return box;
}

double size_of(const UnknownBox& box) {
  double sum = 0.0;
  for (const Interval& one : box) sum += std::log(one.high / one.low);
  return sum;
}

}  // namespace

Interval bound_observable(Observable what, const UnknownBox& box, const FastMode& fast) {
  const Directions directions = directions_of(what, box, fast);
  return {lowest(what, box, directions, fast), highest(what, box, directions, fast)};
}

std::optional<UnknownBox> contract(const UnknownBox& box, const std::vector<Constraint>& constraints,
                                   const FastMode& fast) {
  constexpr int kRounds = 12;
  constexpr double kWorthIt = 1e-3;  // logarithms cut off in a round
  UnknownBox left = box;
  for (int round = 0; round < kRounds; ++round) {
    const double before = size_of(left);
    for (const Constraint& constraint : constraints) {
      const auto next = contracted(left, constraint, fast);
      if (!next) return std::nullopt;
      left = *next;
    }
    if (before - size_of(left) < kWorthIt) break;
  }
  return left;
}

}  // namespace ridge
