#include "price/contraction.hpp"

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
    const Slope slope = observe(what, provider_of<Slope>([&](std::size_t i) {
                                  return Slope(box[i], Interval(i == along ? 1.0 : 0.0));
                                }),
                                fast);
    all[along] = slope.slope.is_zero()       ? Direction::flat
                 : slope.slope.low >= 0.0    ? Direction::rising
                 : slope.slope.high <= 0.0   ? Direction::falling
                                             : Direction::unknown;
  }
  return all;
}

/// The observable over a box: at the corner where the monotone unknowns make it smallest, and where largest.
Interval range_of(Observable what, const UnknownBox& box, const Directions& directions, const FastMode& fast) {
  UnknownBox low = box, high = box;
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    if (directions[i] == Direction::rising) {
      low[i] = Interval(box[i].low);
      high[i] = Interval(box[i].high);
    } else if (directions[i] == Direction::falling) {
      low[i] = Interval(box[i].high);
      high[i] = Interval(box[i].low);
    }
  }
  return {at(what, low, fast).low, at(what, high, fast).high};
}

bool misses(const Interval& range, const Interval& target) { return range.high < target.low || range.low > target.high; }

class Contractor {
 public:
  Contractor(UnknownBox box, const FastMode& fast) : box_(box), fast_(fast) {}

  /// Whether anything is left.
  bool apply(const Constraint& constraint) {
    const Directions directions = directions_of(constraint.what, box_, fast_);
    if (misses(range_of(constraint.what, box_, directions, fast_), constraint.target)) return false;
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      if (directions[i] == Direction::flat || !(box_[i].high > box_[i].low)) continue;
      cut(constraint, directions, i, true);
      cut(constraint, directions, i, false);
    }
    return true;
  }

  const UnknownBox& box() const { return box_; }

 private:
  /// Cuts off the largest piece at one end in which the observable misses its target. A piece of a piece that misses
  /// does too, so halving finds it; what is cut was shown to miss.
  void cut(const Constraint& constraint, const Directions& directions, std::size_t unknown, bool low_end) {
    constexpr int kHalvings = 14;
    const Interval whole = box_[unknown];
    const double span = whole.high / whole.low;
    const auto end_at = [&](double share) {
      return low_end ? whole.low * std::pow(span, share) : whole.high / std::pow(span, share);
    };
    double shown = 0.0, open = 1.0;
    for (int i = 0; i < kHalvings; ++i) {
      const double share = (shown + open) / 2;
      UnknownBox piece = box_;
      piece[unknown] = low_end ? Interval(whole.low, end_at(share)) : Interval(end_at(share), whole.high);
      (misses(range_of(constraint.what, piece, directions, fast_), constraint.target) ? shown : open) = share;
    }
    if (shown == 0.0) return;
    if (low_end)
      box_[unknown].low = std::min(end_at(shown), whole.high);
    else
      box_[unknown].high = std::max(end_at(shown), whole.low);
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
  return range_of(what, box, directions_of(what, box, fast), fast);
}

std::optional<UnknownBox> contract(UnknownBox box, const std::vector<Constraint>& constraints, const FastMode& fast) {
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
