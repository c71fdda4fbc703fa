// Round trip: is the truth in what `ridge infer` reads off the sheet that the truth writes, and is that not much wider
// than what the samples leave? Widths are logarithms of high over low.

#include <cmath>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "catalog_library.hpp"
#include "price/random_provider.hpp"
#include "search/posterior.hpp"

namespace infer_property {

using namespace ridge;
using namespace ridge::testing;

namespace {

const Beliefs& believed() {
  static const Beliefs priors = [] {
    const auto all = catalog::priors(catalog::embedded_facts());
    return priors_named(*all, "provider", {}).value();
  }();
  return priors;
}

std::array<double, kInferred> truth_of(const Provider<double>& p) {
  std::array<double, kInferred> all{};
  const auto unknowns = unknowns_of(p);
  std::copy(unknowns.begin(), unknowns.end(), all.begin());
  all[kTotal] = observe(Observable::total, p, {});
  all[kKv] = observe(Observable::kv, p, {});
  all[kKvPerActive] = observe(Observable::kv_per_active, p, {});
  return all;
}

}  // namespace

TEST_CASE("a provider lies within what its own sheet leaves") {
  CHECK(rc::check([] {
    Draw draw = seeded_draw();
    for (int i = 0; i < 3; ++i) {
      const Provider<double> truth = random_provider(draw, believed(), 1.0);
      const PriceSheet sheet = sheet_of(truth, !draw.one_in(3), draw.one_in(2) ? draw.log_uniform(0.02, 0.5) : 0.0);
      const Inference inference = infer({.sheet = sheet, .priors = believed(), .fast_speed = {}});
      const auto values = truth_of(truth);
      for (std::size_t q = 0; q < kInferred; ++q) {
        const Inferred& one = inference.inferred[q];
        RC_LOG() << one.key << " " << values[q] << " in " << one.interval.low << ".." << one.interval.high << "\n";
        RC_ASSERT(one.interval.low <= values[q] * (1 + 1e-9) && values[q] <= one.interval.high * (1 + 1e-9));
      }
    }
  }));
}

// For providers in the middle half of what is believed. At its edges samples pile up against the end while the interval
// still reaches across (docs/theory/prices.md has figures). Even here it is not so for every one: of 939 sheets two had
// one quantity, the mean context behind a fast mode, 3.2 times as wide. The same sheets on every run, so that a count
// means something.
TEST_CASE("what a sheet leaves is at most three times as wide as 95 % of the samples, for 99 sheets in 100") {
  constexpr int kSheets = 250;
  int judged = 0, wider = 0;
  double worst = 0.0;
  for (int i = 0; i < kSheets; ++i) {
    Draw draw(static_cast<std::uint64_t>(5000 + i));
    const Provider<double> truth = random_provider(draw, believed(), 0.5);
    const PriceSheet sheet = sheet_of(truth, !draw.one_in(3), draw.one_in(2) ? draw.log_uniform(0.02, 0.5) : 0.0);
    const Inference inference = infer({.sheet = sheet, .priors = believed(), .fast_speed = {}});
    const Posterior posterior =
        sample_posterior(inference, {.samples = 1 << 16, .seed = 1, .threads = 1, .set = best_instruction_set()});
    if (posterior.effective < 400) continue;  // too few to tell where 95 % of them lie
    double here = 0.0;
    for (const Marginal& m : posterior.marginals) {
      const double whole = std::log(m.range.high / m.range.low);
      if (whole > 1e-6) here = std::max(here, whole / std::log(m.high / m.low));  // below that the sheet fixes it
    }
    ++judged;
    wider += here > 3 ? 1 : 0;
    worst = std::max(worst, here);
  }
  CAPTURE(worst);
  CHECK(judged > 200);
  CHECK(wider <= judged / 100);
  CHECK(worst < 4);
}

}  // namespace infer_property
