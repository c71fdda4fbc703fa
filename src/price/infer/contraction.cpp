#include "price/infer/contraction.hpp"

#include <algorithm>
#include <cmath>

#include "base/dual.hpp"

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

class Contractor {
 public:
  Contractor(UnknownBox box, const FastMode& fast) : box_(box), fast_(fast) {}

  /// Whether anything is left.
  bool apply(const Constraint& constraint) {
    const Directions directions = directions_of(constraint.what, box_, fast_);
    if (misses(constraint, box_, directions)) return false;
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      if (directions[i] == Direction::flat || !(box_[i].high > box_[i].low)) continue;
      cut(constraint, directions, i, true);
      cut(constraint, directions, i, false);
    }
    return true;
  }

  const UnknownBox& box() const { return box_; }

 private:
  /// Cuts off the largest piece at one end in which the observable misses its target, and again while that was most of
  /// what there was.
  void cut(const Constraint& constraint, const Directions& directions, std::size_t unknown, bool low_end) {
    constexpr int kMost = 6;
    for (int i = 0; i < kMost && cut_once(constraint, directions, unknown, low_end) > 0.5; ++i) {
    }
  }

  /// A piece of a piece that misses does too, so halving finds the largest; what is cut was shown to miss. Where the
  /// smallest piece worth cutting does not miss, nothing is. Returns the share that was cut off.
  double cut_once(const Constraint& constraint, const Directions& directions, std::size_t unknown, bool low_end) {
    constexpr int kHalvings = 8;
    constexpr double kLeast = 1.0 / 64;
    const Interval whole = box_[unknown];
    if (!(whole.high > whole.low * (1 + 1e-9))) return 0.0;
    const double span = whole.high / whole.low;
    const auto end_at = [&](double share) {
      return low_end ? whole.low * std::pow(span, share) : whole.high / std::pow(span, share);
    };
    const auto piece_misses = [&](double share) {
      UnknownBox piece = box_;
      piece[unknown] = low_end ? Interval(whole.low, end_at(share)) : Interval(end_at(share), whole.high);
      return misses(constraint, piece, directions);
    };
    if (!piece_misses(kLeast)) return 0.0;
    double shown = kLeast, open = 1.0;
    for (int i = 0; i < kHalvings; ++i) {
      const double share = (shown + open) / 2;
      (piece_misses(share) ? shown : open) = share;
    }
    if (low_end)
      box_[unknown].low = std::min(end_at(shown), whole.high);
    else
      box_[unknown].high = std::max(end_at(shown), whole.low);
    return shown;
  }

  bool misses(const Constraint& constraint, const UnknownBox& box, const Directions& directions) const {
    if (lowest(constraint.what, box, directions, fast_) > constraint.target.high) return true;
    return highest(constraint.what, box, directions, fast_) < constraint.target.low;
  }

  UnknownBox box_;
  const FastMode& fast_;
};

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
  Contractor contractor(box, fast);
  for (int round = 0; round < kRounds; ++round) {
    const double before = size_of(contractor.box());
    for (const Constraint& constraint : constraints) {
      if (!contractor.apply(constraint)) return {};
    }
    if (before - size_of(contractor.box()) < kWorthIt) break;
  }
  return contractor.box();
}

}  // namespace ridge
