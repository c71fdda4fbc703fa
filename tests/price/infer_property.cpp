// Round trip: is the truth in what `ridge infer` reads off the sheet that the truth writes, and is that not much wider
// than what the samples leave? Widths are logarithms of high over low.

#include <cmath>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "catalog_library.hpp"
#include "price/random_provider.hpp"
#include "search/posterior.hpp"

using namespace ridge;
using namespace ridge::testing;

namespace {

const Priors& believed() {
  static const Priors priors = [] {
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

TEST_CASE("a provider lies within what its own sheet leaves, and that is at most three times what samples leave") {
  CHECK(rc::check([] {
    Draw draw = seeded_draw();
    const Provider<double> truth = random_provider(draw, believed());
    const bool tier = !draw.one_in(3);
    const double fast_load = draw.one_in(2) ? draw.log_uniform(0.02, 0.5) : 0.0;
    const PriceSheet sheet = sheet_of(truth, tier, fast_load);
    const Inference inference = infer({.sheet = sheet, .priors = believed(), .fast_speed = {}});
    const auto values = truth_of(truth);
    for (const Inferred& one : inference.inferred) {
      const double value = values[static_cast<std::size_t>(&one - inference.inferred.data())];
      RC_LOG() << one.key << " " << value << " in " << one.interval.low << ".." << one.interval.high << "\n";
      RC_ASSERT(one.interval.low <= value * (1 + 1e-9) && value <= one.interval.high * (1 + 1e-9));
    }
    const Posterior posterior =
        sample_posterior(inference, {.samples = 1 << 16, .seed = 1, .threads = 1, .set = best_instruction_set()});
    RC_PRE(posterior.effective > 200);
    for (std::size_t q = 0; q < kInferred; ++q) {
      const Marginal& m = posterior.marginals[q];
      const double whole = std::log(m.range.high / m.range.low), sampled = std::log(m.high / m.low);
      RC_LOG() << inference.inferred[q].key << " interval " << whole << " samples " << sampled << "\n";
      RC_ASSERT(whole <= 3 * sampled + 1e-6);
    }
  }));
}
