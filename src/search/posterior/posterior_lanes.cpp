// Providers that explain a sheet, over SIMD lanes: every unknown is drawn from its range, then one for each equation of
// the sheet is solved for. Compiled once per instruction set, like decode_lanes.cpp. `count` is a multiple of a
// register.

#include "search/posterior/posterior_lanes.hpp"

#include "base/number/lanes.hpp"
#include "price/infer/observables.ipp"
#include "search/lanes/flatten.hpp"

namespace ridge {
namespace {

using Vector = Lanes::Vector;
using Unknowns = std::array<Lanes, kUnknowns>;

Provider<Lanes> provider_from(const Unknowns& all) {
  return provider_of<Lanes>([&](std::size_t i) { return all[i]; });
}

/// A weight that is zero where the condition does not hold.
void keep(Lanes& weight, Vector::mask_type condition) { stdx::where(!condition, weight.v) = 0.0; }

class Draw {
 public:
  Draw(const RidgePosteriorTerms& terms, const double* const* uniforms, std::size_t first) : terms_(terms) {
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      const Lanes span(terms.high[i] / terms.low[i]);
      all_[i] = terms.high[i] > terms.low[i] ? Lanes(terms.low[i]) * pow(span, Lanes::load(uniforms[i] + first))
                                             : Lanes(terms.low[i]);
    }
  }

  RIDGE_FLATTEN void solve() {
    solve_for(Observable::long_above, terms_.long_above);
    solve_for(Observable::long_output, terms_.long_output);
    solve_for(Observable::fast_speed, terms_.fast);
    solve_for(Observable::input, terms_.input);
    solve_for(Observable::output, terms_.output);
    if (terms_.cached.present != 0) solve_cached();
    kv_ = observe(Observable::kv, provider_from(all_), fast());
    if (!(terms_.kv_high > terms_.kv_low) && !(terms_.high[kWidth] > terms_.low[kWidth])) {
      keep_near(Observable::kv, Lanes(terms_.kv_low));
    } else if (!(terms_.kv_high > terms_.kv_low)) {  // the bytes are given: the width follows
      all_[kWidth] = all_[kWidth] * Lanes(terms_.kv_low) / kv_;
      check(kWidth);
      kv_ = Lanes(terms_.kv_low);
    } else {
      keep(weight_, kv_.v >= Vector(terms_.kv_low) && kv_.v <= Vector(terms_.kv_high));
    }
  }

  void store(std::size_t first, double* const* unknowns, double* const* derived, double* weight) const {
    for (std::size_t i = 0; i < kUnknowns; ++i) all_[i].store(unknowns[i] + first);
    const Provider<Lanes> p = provider_from(all_);
    observe(Observable::total, p, fast()).store(derived[0] + first);
    kv_.store(derived[1] + first);
    observe(Observable::kv_per_active, p, fast()).store(derived[2] + first);
    weight_.store(weight + first);
  }

 private:
  FastMode fast() const { return {terms_.fast_load, terms_.fast_speed}; }

  void check(std::size_t unknown) {
    const Vector& value = all_[unknown].v;
    keep(weight_, value >= Vector(terms_.low[unknown]) && value <= Vector(terms_.high[unknown]));
  }

  void solve_for(Observable what, const RidgeSolvedFor& equation) {
    if (equation.present == 0) return;
    const Lanes observed(equation.observed);
    if (equation.unknown < 0) return keep_near(what, observed);
    const auto unknown = static_cast<std::size_t>(equation.unknown);
    all_[unknown] = Lanes(1.0);
    const Lanes alone = observe(what, provider_from(all_), fast());
    all_[unknown] = equation.rising != 0 ? observed / alone : alone / observed;
    check(unknown);
  }

  /// Where all that could be solved for is given as one number, draws that come near are kept.
  void keep_near(Observable what, const Lanes& observed) {
    const Lanes there = observe(what, provider_from(all_), fast());
    keep(weight_, there.v >= observed.v * Vector(1 - kNear) && there.v <= observed.v * Vector(1 + kNear));
  }

  /// cached = A / f + A / e_d with A the cost of the memory's own bandwidth.
  void solve_cached() {
    const RidgeSolvedFor& equation = terms_.cached;
    const Lanes one(1.0), observed(equation.observed);
    if (equation.unknown < 0) return keep_near(Observable::cached, observed);
    all_[kFetch] = Lanes(1.0);
    const Lanes each = observe(Observable::cached, provider_from(all_), fast()) / (one + one / all_[kDecode]);
    const Lanes fetched = observed - each / all_[kDecode];
    keep(weight_, fetched.v > Vector(0.0));
    all_[kFetch] = each / max(fetched, Lanes(1e-300));
    check(kFetch);
    weight_ = weight_ * (observed / max(fetched, Lanes(1e-300)));
    keep(weight_, fetched.v > Vector(0.0));
  }

  static constexpr double kNear = 0.05;

  const RidgePosteriorTerms& terms_;
  Unknowns all_;
  Lanes kv_, weight_{1.0};
};

}  // namespace
}  // namespace ridge

extern "C" void RIDGE_POSTERIOR_ENTRY(const RidgePosteriorTerms* terms, const double* const* uniforms,
                                      std::size_t count, double* const* unknowns, double* const* derived,
                                      double* weight) {
  for (std::size_t first = 0; first < count; first += static_cast<std::size_t>(ridge::Lanes::size())) {
    ridge::Draw draw(*terms, uniforms, first);
    draw.solve();
    draw.store(first, unknowns, derived, weight);
  }
}
