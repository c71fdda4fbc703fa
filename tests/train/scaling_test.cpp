// Do the scaling laws give the figures that were published, and are their closed forms optimal?

#include "train/scaling.hpp"

#include <cmath>

#include "train/laws_for_tests.hpp"

using namespace ridge;
using doctest::Approx;
using ridge::testing::chinchilla;
using ridge::testing::experts;
using ridge::testing::law_entry;

namespace {

constexpr double kChinchillaFlops = 5.76e23;  // of the model Chinchilla itself

TrainedModel<double> optimum(const LossLaw<double>& law, double flops) {
  return compute_optimal(law, Flops<double>(flops));
}
double loss(const LossLaw<double>& law, double params, double tokens) {
  return (law.floor + reducible_loss<double>(law, {Params<double>(params), Tokens<double>(tokens)})).value();
}
double ratio(const TrainedModel<double>& model) { return (model.tokens / model.params).value(); }

}  // namespace

TEST_CASE("the refitted law is optimal near 20 tokens a parameter, the printed ones are not") {
  // scaling_laws.csv: D/N at 5.76e23 FLOP is 18.4 (Besiroglu), 92.6 (Hoffmann as printed), 59 (its TeX exponents)
  CHECK(ratio(optimum(chinchilla("besiroglu-2024"), kChinchillaFlops)) == Approx(18.4).epsilon(0.005));
  CHECK(ratio(optimum(chinchilla("hoffmann-2022"), kChinchillaFlops)) == Approx(92.6).epsilon(0.005));
  CHECK(ratio(optimum(chinchilla("hoffmann-2022-tex"), kChinchillaFlops)) == Approx(59).epsilon(0.005));
  // 20 tokens a parameter within 10 % from 1e22 to 5.76e23 FLOP
  for (const double flops : {1e22, 1e23, kChinchillaFlops}) {
    CAPTURE(flops);
    CHECK(std::fabs(ratio(optimum(chinchilla(), flops)) - 20) < 2);
  }
}

TEST_CASE("the compute-optimal model spends the budget and no other split of it does better") {
  for (const char* name : {"besiroglu-2024", "hoffmann-2022", "hoffmann-2022-tex", "krajewski-2024-dense"}) {
    const LossLaw<double> law = chinchilla(name);
    for (const double flops : {1e20, 1e23, 1e26}) {
      CAPTURE(name);
      CAPTURE(flops);
      const TrainedModel<double> best = optimum(law, flops);
      CHECK((6.0 * best.params * best.tokens).value() == Approx(flops).epsilon(1e-12));
      const double least = loss(law, best.params.value(), best.tokens.value());
      for (double factor = 1.0 / 64; factor <= 64; factor *= 1.3) {  // brute force along the budget
        CHECK(loss(law, best.params.value() * factor, best.tokens.value() / factor) >= least * (1 - 1e-15));
      }
      const TrainedModel<double> same = least_training(law, Ratio<double>(least) - law.floor);
      CHECK(same.params.value() == Approx(best.params.value()).epsilon(1e-9));
      CHECK(same.tokens.value() == Approx(best.tokens.value()).epsilon(1e-9));
      CHECK(optimal_tokens(law, best.params).value() == Approx(best.tokens.value()).epsilon(1e-9));
    }
  }
}

TEST_CASE("tokens for a loss are those that give it, and a model too small for it needs tokens without end") {
  const LossLaw<double> law = chinchilla();
  const Params<double> params(7e9);
  const Tokens<double> tokens(2e12);
  const Ratio<double> reducible = reducible_loss<double>(law, {params, tokens});
  CHECK(tokens_for_loss(law, reducible, params).value() == Approx(2e12).epsilon(1e-9));
  CHECK(smallest_params(law, reducible) < params);
  CHECK(std::isinf(tokens_for_loss(law, reducible, 0.99 * smallest_params(law, reducible)).value()));
  CHECK(std::isfinite(tokens_for_loss(law, reducible, 1.01 * smallest_params(law, reducible)).value()));
}

TEST_CASE("100B parameters on 200T tokens take 6.3 times the training of a model 4.35 times larger") {
  // C38 by hand, Besiroglu: R = 482.01/(1e11)^0.3478 + 2085.43/(2e14)^0.3658 = 0.07199 + 0.01224 = 0.08423
  // N = (482.01 (1 + 0.3478/0.3658)/0.08423)^(1/0.3478) = 4.35e11, D = 7.32e12: 6 N D = 1.91e25 against 1.2e26
  const LossLaw<double> law = chinchilla();
  const Ratio<double> reducible = reducible_loss<double>(law, {Params<double>(1e11), Tokens<double>(2e14)});
  CHECK(reducible.value() == Approx(0.08423).epsilon(1e-3));
  const TrainedModel<double> least = least_training(law, reducible);
  CHECK(least.params.value() == Approx(4.35e11).epsilon(0.005));
  CHECK((6.0 * least.params * least.tokens).value() == Approx(1.91e25).epsilon(0.005));
}

TEST_CASE("370M parameters with 64 experts are as good as 1.37B, 1.00B or 1.12B dense, by how experts are chosen") {
  // lecture_claims.csv C18; rounded constants, so 1 %
  const Params<double> params(370e6);
  CHECK(dense_equivalent(experts("clark-2022"), params, Ratio<double>(64)).value() == Approx(1.37e9).epsilon(0.01));
  CHECK(dense_equivalent(experts("clark-2022-rl"), params, Ratio<double>(64)).value() == Approx(1.00e9).epsilon(0.01));
  CHECK(dense_equivalent(experts("clark-2022-hash"), params, Ratio<double>(64)).value() ==
        Approx(1.12e9).epsilon(0.01));
  // Clark's own example, 5M with 128 experts as good as 55M: the published rounded constants give 47 to 52 million, so
  // it is NOT reproduced; 15 % is what their rounding leaves
  for (const char* name : {"clark-2022", "clark-2022-rl", "clark-2022-hash"}) {
    const double dense = dense_equivalent(experts(name), Params<double>(5e6), Ratio<double>(128)).value();
    CAPTURE(name);
    CHECK(dense < 55e6);
    CHECK(dense > 0.85 * 55e6);
  }
}

TEST_CASE("a model without experts is as good as itself, and the dense model has the same loss") {
  for (const char* name : {"clark-2022", "clark-2022-rl", "clark-2022-hash"}) {
    const ExpertLaw<double> law = experts(name);
    CAPTURE(name);
    CHECK(dense_equivalent(law, Params<double>(1e9), Ratio<double>(1)).value() == Approx(1e9).epsilon(1e-12));
    CHECK(effective_experts(law, Ratio<double>(1)).value() == Approx(law.first.value()).epsilon(1e-12));
    const Params<double> dense = dense_equivalent(law, Params<double>(370e6), Ratio<double>(64));
    CHECK(expert_loss(law, dense, Ratio<double>(1)).value() ==
          Approx(expert_loss(law, Params<double>(370e6), Ratio<double>(64)).value()).epsilon(1e-12));
    double before = 0;
    for (double count = 1; count <= 1024; count *= 2) {  // more experts are never worse, and saturate
      const double effective = effective_experts(law, Ratio<double>(count)).value();
      CHECK(effective > before);
      CHECK(effective < law.most.value());
      before = effective;
    }
    // at the published cutoff experts are worth nothing more: lg N_cutoff = -b/c, where the exponents cancel
    const double cutoff = law_entry(name).numbers.find("N_cutoff")->second.value.value;
    CHECK(-law.experts.value() / law.both.value() == Approx(std::log10(cutoff)).epsilon(0.05));
  }
}

TEST_CASE("finer experts lower Krajewski's loss, towards a limit") {
  const GranularLaw<double> law = granular_law(law_entry("krajewski-2024")).value();
  double before = 1e9;
  for (const double granularity : {1.0, 2.0, 4.0, 8.0, 16.0, 64.0}) {
    const double now = loss(at_granularity(law, Ratio<double>(granularity)), 1e9, 1e11);
    CHECK(now < before);
    before = now;
  }
  CHECK(before > loss(law.coarse, 1e9, 1e11));
  // by hand, G = 8: 0.47 + (2.1/8^0.58 + 18.1)/(6.4e9)^0.115 + 30.8/(4.37e9)^0.147 = 0.47 + 1.3957 + 1.1787 = 3.044
  CHECK(loss(at_granularity(law, Ratio<double>(8)), 6.4e9, 4.37e9) == Approx(3.044).epsilon(1e-3));
}

TEST_CASE("fewer bits in training make a model count for less") {
  const PrecisionLaw<double> law = precision_law(law_entry("kumar-2024")).value();
  const auto at = [&](double bits) {
    return effective_params(law, Params<double>(1.0), PrecisionLaw<double>{bits, bits, bits}).value();
  };
  // by hand, 8 bits: (1 - e^(-8/2.6745)) (1 - e^(-8/2.2102)) (1 - e^(-8/0.9578)) = 0.9498 x 0.9732 x 0.9998 = 0.9241
  CHECK(at(8) == Approx(0.9241).epsilon(1e-3));
  CHECK(at(4) < at(8));
  CHECK(at(16) > 0.996);
  CHECK(at(16) < 1.0);
}

TEST_CASE("Llama 3's tokens at 3.8e25 FLOP are 16.55T within the rounding of its exponent") {
  // 0.299 x (3.8e25)^0.537 = 1.629e13; an exponent of 0.5373 would give 16.55e12: the third digit is 1.8 %
  const TokenLaw<double> law = token_law(law_entry("llama-3")).value();
  CHECK(tokens_for_compute(law, Flops<double>(3.8e25)).value() == Approx(16.55e12).epsilon(0.03));
}

TEST_CASE("Sardana's example: a 7B in place of a 13B for 2T served tokens saves a sixth") {
  // scaling_laws.csv: 13B target and 2e12 inference tokens -> train 7B, save 1.7e22 FLOP (17 %). That is under Hoffmann's
  // law with the exponents of its TeX source; min 6 N D + 2 N D_inf at the 13B's compute-optimal loss. Ours: 7.13B and
  // 1.63e22 (16.3 %); the rest is rounding of what was published.
  const LossLaw<double> law = chinchilla("hoffmann-2022-tex");
  const Params<double> target(13e9);
  const Tokens<double> tokens = optimal_tokens(law, target), served(2e12);
  const LifetimeOptimum<double> best =
      lifetime_optimum(law, reducible_loss<double>(law, {target, tokens}), served / 3.0);
  const auto flops = [&](const TrainedModel<double>& m) {
    return (6.0 * m.params * m.tokens + 2.0 * m.params * served).value();
  };
  const double before = flops({target, tokens}), after = flops(best.model);
  CHECK(best.model.params.value() == Approx(7e9).epsilon(0.03));
  CHECK(before - after == Approx(1.7e22).epsilon(0.05));
  CHECK(1 - after / before == Approx(0.17).epsilon(0.05));
  // under the refitted law the same question has another answer: 6.1B, and 29 % saved
  const LossLaw<double> refitted = chinchilla();
  const Tokens<double> fewer = optimal_tokens(refitted, target);
  const auto other = lifetime_optimum(refitted, reducible_loss<double>(refitted, {target, fewer}), served / 3.0);
  CHECK(other.model.params.value() == Approx(6.1e9).epsilon(0.01));
  CHECK(1 - flops(other.model) / flops({target, fewer}) == Approx(0.29).epsilon(0.01));
}

TEST_CASE("laws that are not there, of another form, or with more experts used than there are, are refused") {
  const Library& all = ridge::testing::library();
  const auto unknown = find_law(all, "chinchila", "chinchilla", "--law");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().front().hint.find("besiroglu-2024") != std::string::npos);
  const auto other = find_law(all, "clark-2022", "chinchilla", "--law");
  REQUIRE_FALSE(other);
  CHECK(other.error().front().what.find("another form") != std::string::npos);
  NumbersEntry broken = law_entry("besiroglu-2024");
  broken.numbers.erase("beta");
  CHECK_FALSE(loss_law(broken));
  const auto many = dense_multiple(experts(), Params<double>(1e9), 8, 9, "--experts");
  REQUIRE_FALSE(many);
  CHECK(many.error().front().what == "a token cannot use 9 of 8 experts");
  CHECK(many.error().front().hint.find("at most 8") != std::string::npos);
}
