// Is the bill added up right, and is the optimum the optimum?

#include "train/lifecycle.ipp"

#include <cmath>

#include "base/number/lanes.hpp"
#include "report/derive/derivation.hpp"
#include "report/derive/expression.hpp"
#include "report/train/lifecycle_text.hpp"
#include "train/laws_for_tests.hpp"
#include "train/lifecycle_answer.hpp"

using namespace ridge;
using doctest::Approx;
using ridge::testing::life_of;

namespace {

Errors refused(const std::vector<std::pair<std::string, double>>& given) {
  LifecycleQuestion question;
  for (const auto& [key, value] : given) question.given.push_back({key, value, {"--" + key, Kind::user, "", ""}});
  const auto answer = answer_lifecycle(question, ridge::testing::library());
  REQUIRE_FALSE(answer.has_value());
  CHECK_FALSE(answer.error().front().hint.empty());
  return answer.error();
}

LifecycleCase<double> base_case() { return life_of().resolved.numbers; }

}  // namespace

TEST_CASE("the lecture's rule: as many tokens pre-trained as served, 1.5 times those of RL") {
  // C33 by hand: 6 D_p / 0.42 = (2/0.14 + 0.5 x 6/0.42) D_rl = 2 D_i / 0.14: 14.29 D_p = 21.43 D_rl = 14.29 D_i
  const LifecycleEstimate<double> e = life_of().estimate;
  CHECK(e.work_pretraining.value() == Approx(6 / 0.42));
  CHECK(e.work_rollouts.value() == Approx(2 / 0.14 + 0.5 * 6 / 0.42));
  CHECK(e.served.value() == Approx(50e6 * 60 * 86400));
  CHECK((e.equal_pretraining / e.served).value() == Approx(1.0));
  CHECK((e.equal_pretraining / e.equal_rollouts).value() == Approx(1.5));
  CHECK(e.cost_pretraining.value() == Approx(e.cost_serving.value()));
  CHECK(e.cost_rollouts.value() == Approx(e.cost_serving.value()));
  CHECK(e.share_pretraining.value() == Approx(1.0 / 3));
  CHECK(e.equal_params.value() == Approx(1e11));
}

TEST_CASE("dollars are FLOP over efficiency and peak, times the price") {
  // by hand: 6 x 1e11 x 2e14 / (0.42 x 2.5e15) s x $3.30/3600 = $104.8M
  const LifecycleEstimate<double> e = life_of({{"tokens", 2e14}}).estimate;
  CHECK(e.cost_pretraining.value() == Approx(6.0 * 1e11 * 2e14 / (0.42 * 2.5e15) * 3.30 / 3600).epsilon(1e-9));
  CHECK((e.cost_pretraining + e.cost_rollouts + e.cost_serving).value() == Approx(e.cost.value()).epsilon(1e-12));
  CHECK((e.best_pretraining + e.best_rollouts + e.best_serving).value() == Approx(e.best_cost.value()).epsilon(1e-12));
}

TEST_CASE("published training runs take the chip-hours that 6 N D over the efficiency says") {
  // at $1 a chip-second the cost of pre-training is chip-seconds
  const auto chip_seconds = [](double params, double tokens, double mfu, double peak) {
    return life_of({{"params", params}, {"tokens", tokens}, {"mfu.training", mfu}, {"peak", peak}, {"price", 1}})
        .estimate.cost_pretraining.value();
  };
  constexpr double kDay = 86400, kHour = 3600;
  // training_runs.csv, DeepSeek-V3: 6 x 37e9 x 14.8e12 / (0.331 x 989e12) = 2.788e6 GPU-hours
  CHECK(chip_seconds(37e9, 14.8e12, 0.331, 989e12) / kHour == Approx(2.788e6).epsilon(0.002));
  // scaling book: Llama 3 70B on 15T tokens, 8,960 TPU v5p at 40 % in 44 days; 4,096 H100 at 45 % in 40
  CHECK(chip_seconds(70e9, 15e12, 0.40, 459e12) / 8960 / kDay == Approx(44).epsilon(0.02));
  CHECK(chip_seconds(70e9, 15e12, 0.45, 989e12) / 4096 / kDay == Approx(40).epsilon(0.02));
  // Narayanan 2021: t = 8 T P/(n X), the 8 being 6 with the forward pass computed again. GPT-3 175B on 300B tokens with
  // 1,024 GPUs at 140 TFLOP/s in 34 days; 1T parameters on 450B with 3,072 at 163 in 84
  const double recompute = 4.0 / 3;  // as in activations_test
  CHECK(recompute * chip_seconds(175e9, 300e9, 1.0, 140e12) / 1024 / kDay == Approx(34).epsilon(0.01));
  CHECK(recompute * chip_seconds(1e12, 450e9, 1.0, 163e12) / 3072 / kDay == Approx(84).epsilon(0.01));
}

TEST_CASE("reference passes and prompts are charged at the efficiency of prompts") {
  // by hand: 2/0.14 + 6 x 0.25/0.42 + 3 x 2/0.5 = 14.286 + 3.571 + 12 = 29.857; 0.75 x 2/0.14 + 0.25 x 2/0.5 = 11.714
  const LifecycleEstimate<double> e =
      life_of({{"rl.trained", 0.25}, {"rl.references", 3}, {"mfu.prefill", 0.5}, {"prompts", 0.25}}).estimate;
  CHECK(e.work_rollouts.value() == Approx(29.857).epsilon(1e-4));
  CHECK(e.work_serving.value() == Approx(11.714).epsilon(1e-4));
}

TEST_CASE("200T tokens on 100B are 100 times the rule, and cost 6.3 times the training of the loss-equal optimum") {
  const LifecycleEstimate<double> e = life_of({{"tokens", 2e14}}).estimate;
  CHECK(e.over_rule.value() == Approx(100));
  CHECK(e.training_price.value() == Approx(6.3).epsilon(0.02));
  CHECK(e.smaller.value() == Approx(4.35).epsilon(0.02));
}

TEST_CASE("the least-cost model beats every other size that reaches the loss, and satisfies p A = q B") {
  for (const char* law : {"besiroglu-2024", "hoffmann-2022", "hoffmann-2022-tex", "krajewski-2024-dense"}) {
    for (const double served : {1e3, 1e6, 5e7, 1e10}) {
      CAPTURE(law);
      CAPTURE(served);
      const LifecycleAnswer a = life_of({{"served", served}, {"tokens", 1e13}, {"rl_tokens", 1e12}}, law);
      const LifecycleCase<double>& c = a.resolved.numbers;
      const LifecycleEstimate<double>& e = a.estimate;
      CHECK(cost_at_size(c, e.best_params).value() == Approx(e.best_cost.value()).epsilon(1e-9));
      for (double factor = 1.0 / 16; factor <= 16; factor *= 1.05) {  // brute force over sizes
        CHECK(cost_at_size(c, factor * e.best_params).value() >= e.best_cost.value() * (1 - 1e-12));
      }
      // p x pre-training = q x others with q = 1 and p the power with which pre-training falls with the size
      CHECK((e.best_excess * e.best_pretraining).value() ==
            Approx((e.best_rollouts + e.best_serving).value()).epsilon(1e-9));
      const double step = 1e-5;
      const auto training = [&](double factor) {
        return (cost_at_size(c, factor * e.best_params) - factor * (e.best_rollouts + e.best_serving)).value();
      };
      const double power = (std::log(training(1 - step)) - std::log(training(1 + step))) / (2 * step);
      CHECK(power == Approx(e.best_excess.value()).epsilon(1e-4));
      CHECK(e.best_cost <= e.cost);
    }
  }
}

TEST_CASE("the least loss for a budget beats every other split of it") {
  for (const double budget : {1e7, 1e9, 1e11}) {
    CAPTURE(budget);
    const LifecycleAnswer a = life_of({{"budget", budget}, {"tokens", 1e13}});
    const LifecycleCase<double>& c = a.resolved.numbers;
    const LifecycleEstimate<double>& e = a.estimate;
    const double product = budget / (c.price / c.peak).value() / e.work_pretraining.value();
    CHECK((e.budget_params * (e.budget_tokens + e.others)).value() == Approx(product).epsilon(1e-9));
    const LossLaw<double> law{c.loss_floor, c.loss_size, c.size_power, c.loss_data, c.data_power};
    for (double factor = 1.0 / 8; factor <= 8; factor *= 1.05) {
      const double tokens = e.budget_tokens.value() * factor;
      const double params = product / (tokens + e.others.value());
      const auto reducible = reducible_loss<double>(law, {Params<double>(params), Tokens<double>(tokens)});
      CHECK((c.loss_floor + reducible).value() >= e.budget_loss.value() * (1 - 1e-14));
    }
  }
  const LifecycleEstimate<double> e = life_of().estimate;  // the plan's own cost buys at least its loss
  CHECK(e.budget_loss <= e.loss);
}

TEST_CASE("with nothing served the optimum is Chinchilla's closed form") {
  LifecycleCase<double> c = base_case();
  c.plan = {LifecyclePlan::Pretraining::given, false, false};
  c.pretraining = Tokens<double>(2e14);
  c.rollouts = {};
  c.served = {};
  const LifecycleEstimate<double> e = estimate_lifecycle(c);
  CHECK(e.best_excess.value() == 0.0);
  CHECK(e.best_params.value() == Approx(e.least_params.value()).epsilon(1e-12));
  CHECK(e.best_tokens.value() == Approx(e.least_tokens.value()).epsilon(1e-12));
  CHECK(e.best_over_law.value() == Approx(1.0));
  const LossLaw<double> law{c.loss_floor, c.loss_size, c.size_power, c.loss_data, c.data_power};
  const auto closed = compute_optimal(law, FlopsPerParamToken<double>(6.0) * c.params * c.pretraining);
  CHECK(e.budget_params.value() == Approx(closed.params.value()).epsilon(1e-12));
  CHECK(e.budget_tokens.value() == Approx(closed.tokens.value()).epsilon(1e-12));
}

TEST_CASE("more traffic makes the best model smaller, longer trained and more expensive") {
  double params = 1e30, tokens = 0, over = 0, cost = 0;
  for (const double served : {1e2, 1e4, 1e6, 1e8, 1e10}) {
    const LifecycleEstimate<double> e = life_of({{"served", served}, {"tokens", 2e13}, {"rl_tokens", 0}}).estimate;
    CAPTURE(served);
    CHECK(e.best_params.value() < params);
    CHECK(e.best_tokens.value() > tokens);
    CHECK(e.best_over_law.value() > over);
    CHECK(e.best_cost.value() > cost);
    params = e.best_params.value();
    tokens = e.best_tokens.value();
    over = e.best_over_law.value();
    cost = e.best_cost.value();
  }
}

TEST_CASE("cheaper or shorter serving makes the best model larger and less over-trained") {
  const LifecycleAnswer a = life_of();
  REQUIRE(a.what_ifs.size() == 3);
  for (const WhatIf& one : a.what_ifs) {
    CAPTURE(one.name);
    CHECK(one.estimate.loss.value() == Approx(a.estimate.loss.value()).epsilon(1e-12));
    CHECK(one.estimate.best_params > a.estimate.best_params);
    CHECK(one.estimate.best_over_law < a.estimate.best_over_law);
    CHECK(one.estimate.best_cost < a.estimate.best_cost);
    CHECK(one.estimate.equal_pretraining < a.estimate.equal_pretraining);
  }
}

TEST_CASE("the flat range holds what it says and nothing beyond") {
  const LifecycleAnswer a = life_of();
  for (const FlatRange& range : a.flat) {
    CAPTURE(range.within);
    const double most = a.estimate.best_cost.value() * (1 + range.within);
    for (const Params<double>& end : {range.smallest, range.largest})
      CHECK(cost_at_size(a.resolved.numbers, end).value() == Approx(most).epsilon(1e-6));
    CHECK(range.smallest < a.estimate.best_params);
    CHECK(range.largest > a.estimate.best_params);
  }
}

TEST_CASE("a loss in place of tokens gives the same plan") {
  const LifecycleEstimate<double> given = life_of({{"tokens", 3e13}}).estimate;
  const LifecycleEstimate<double> by_loss = life_of({{"loss", given.loss.value()}}).estimate;
  CHECK(by_loss.pretraining.value() == Approx(3e13).epsilon(1e-6));
  CHECK(by_loss.best_params.value() == Approx(given.best_params.value()).epsilon(1e-9));
}

TEST_CASE("experts that make a model as good as a larger one lower the loss, not the cost") {
  const LifecycleEstimate<double> dense = life_of({{"params", 37e9}, {"tokens", 1.5e13}}).estimate;
  const LifecycleEstimate<double> sparse = life_of({{"params", 37e9}, {"tokens", 1.5e13}, {"multiple", 1.6}}).estimate;
  CHECK(sparse.cost.value() == dense.cost.value());
  CHECK(sparse.loss < dense.loss);
  const LifecycleEstimate<double> larger = life_of({{"params", 1.6 * 37e9}, {"tokens", 1.5e13}}).estimate;
  CHECK(sparse.loss.value() == Approx(larger.loss.value()).epsilon(1e-12));
  const LifecycleAnswer model = life_of({{"tokens", 14.8e12}}, "", "deepseek-v3");
  CHECK(model.resolved.numbers.multiple.value() > 1.2);
  CHECK(model.resolved.numbers.multiple.value() < 2.0);
  REQUIRE(model.resolved.notes.size() == 1);
  CHECK(model.resolved.notes.front().find("extrapolated: fitted on") != std::string::npos);
}

TEST_CASE("a law says what it was fitted on, and an answer beyond it is called an extrapolation") {
  // Hoffmann et al. trained 70 million to 16 billion parameters on 5 to 500 billion tokens; a 100B model on one token
  // is so far outside that its loss, 2085.43 / 1^0.3658 + 1.8172 + 482.01 / 1e11^0.3478 = 2087.32, is no loss
  const LifecycleAnswer absurd = life_of({{"tokens", 1.0}});
  CHECK(absurd.estimate.loss.value() == Approx(2087.32).epsilon(1e-5));
  CHECK(absurd.extrapolation.find("extrapolated: fitted on 70M to 16B params and 5B to 500B tokens") !=
        std::string::npos);
  CHECK(absurd.extrapolation.find("this model has 100B params on 1 token,") != std::string::npos);
  CHECK(absurd.extrapolated.front().name == "this model");
  const LifecycleAnswer within = life_of({{"params", 1e9}, {"tokens", 20e9}, {"served", 1.0}, {"rl_tokens", 1.0}});
  CHECK(within.extrapolated.empty());
  CHECK(within.extrapolation.empty());
  for (const NumbersEntry& law : ridge::testing::library().scaling_laws) {
    CAPTURE(law.name);
    CHECK_FALSE(fitted_on(domain_of(law)).empty());  // every law of the catalog
  }
}

TEST_CASE("all five readings of the lifecycle agree") {
  for (const LifecyclePlan& plan : {LifecyclePlan{}, LifecyclePlan{LifecyclePlan::Pretraining::given, false, true},
                                    LifecyclePlan{LifecyclePlan::Pretraining::by_loss, true, false}}) {
    LifecycleCase<double> c = base_case();
    c.plan = plan;
    c.pretraining = Tokens<double>(2e14);
    c.rollouts = Tokens<double>(1e13);
    c.target = 1.95;
    c.budget = Dollars<double>(3e8);
    const auto expected = output_values(estimate_lifecycle(c));
    const auto as = [](auto made) {
      return [made](std::size_t, const InputInfo&, Dimension, double value) { return made(value); };
    };
    const auto duals = output_values(estimate_lifecycle(read_as<Dual>(c, as([](double v) { return Dual(v); }))));
    const auto lanes = output_values(estimate_lifecycle(read_as<Lanes>(c, as([](double v) { return Lanes(v); }))));
    const auto bounds =
        output_values(estimate_lifecycle(read_as<Interval>(c, as([](double v) { return Interval(v); }))));
    const auto traced = output_values(estimate_lifecycle(report::traced_case(c)));
    for (std::size_t i = 0; i < kLifecycleOutputs; ++i) {
      CAPTURE(std::string(lifecycle_output_info(i).key));
      double all[Lanes::size()];
      lanes[i].store(all);
      CHECK(duals[i].value == expected[i]);
      CHECK(all[Lanes::size() - 1] == expected[i]);
      CHECK(traced[i].value() == expected[i]);
      CHECK(bounds[i].contains(expected[i]));
      CHECK(bounds[i].width() <= 1e-9 * std::fabs(expected[i]) + 1e-9);
    }
  }
}

TEST_CASE("elasticities of the optimum are the slopes of its logarithm") {
  const LifecycleCase<double> c = life_of({{"tokens", 2e14}, {"rl_tokens", 1e13}, {"budget", 3e8}}).resolved.numbers;
  const double step = 1e-6;
  for (const LifecycleElasticity& one : lifecycle_sensitivity(c)) {
    if (input_values(c)[one.input] == 0.0) continue;
    const auto moved = [&](double factor) {
      return output_values(
          estimate_lifecycle(read_as<double>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
            return index == one.input ? value * factor : value;
          })));
    };
    const auto up = moved(1 + step), down = moved(1 - step);
    for (std::size_t i = 0; i < kLifecycleOutputs; ++i) {
      CAPTURE(std::string(lifecycle_input_info(one.input).key));
      CAPTURE(std::string(lifecycle_output_info(i).key));
      CHECK(one.elasticity[i] == Approx((std::log(up[i]) - std::log(down[i])) / (2 * step)).epsilon(1e-4).scale(1));
    }
  }
}

TEST_CASE("bounds over uncertain traffic hold every point of it and little more") {
  const LifecycleCase<double> c = base_case();
  const std::size_t served = lifecycle_input("served", "").value(), life = lifecycle_input("life", "").value();
  const Box box = {{served, {2e7, 1e8}}, {life, {30 * 86400.0, 365 * 86400.0}}};
  const FigureBounds bounds = bound_lifecycle(c, box);
  FigureBounds seen(kLifecycleOutputs, Interval(1e300, -1e300));
  for (int i = 0; i <= 12; ++i) {
    for (int j = 0; j <= 12; ++j) {
      const auto at = [](const Interval& range, int k) { return range.low + range.width() * k / 12; };
      const auto values = output_values(
          estimate_lifecycle(read_as<double>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
            return index == served ? at(box[0].values, i) : index == life ? at(box[1].values, j) : value;
          })));
      for (std::size_t k = 0; k < kLifecycleOutputs; ++k) {
        CAPTURE(std::string(lifecycle_output_info(k).key));
        CHECK(bounds[k].contains(values[k]));
        seen[k] = {std::min(seen[k].low, values[k]), std::max(seen[k].high, values[k])};
      }
    }
  }
  // best_params rises and falls again over this box, so that it is known by halving it, not at its corners: a quarter more
  for (const auto& [key, most] : {std::pair{"served_tokens", 1.001},
                                  {"equal_tokens", 1.001},
                                  {"best_params", 1.25},
                                  {"best_tokens", 1.02},
                                  {"cost", 1.001},
                                  {"best_cost", 1.02}}) {
    const std::size_t k = lifecycle_output(key, "").value();
    CAPTURE(std::string(key));
    CHECK(bounds[k].width() <= most * seen[k].width());
  }
}

TEST_CASE("every line of the derivation evaluates to what it shows") {
  const LifecycleCase<double> c = base_case();
  int lines = 0;
  for (const Traced& figure : output_values(estimate_lifecycle(report::traced_case(c)))) {
    for (const report::DerivationLine& line : report::derive(figure, 0)) {
      CAPTURE(line.symbol);
      const auto symbol = [&](std::string_view name) -> std::optional<double> {
        for (const auto& [known, value] : line.operands) {
          if (known == name) return value;
        }
        return {};
      };
      const auto value = report::evaluate(line.formula, symbol);
      REQUIRE(value);
      CHECK(*value == Approx(line.value).epsilon(1e-9));
      ++lines;
    }
  }
  CHECK(lines > 60);
}

TEST_CASE("wrong input names the cause and the nearest valid value") {
  CHECK(refused({{"tokens", 0}}).front().what.find("above zero") != std::string::npos);
  CHECK(refused({{"served", 0}}).front().where == "--served");
  CHECK(refused({{"rl.trained", -0.1}}).front().what.find("from 0 to 1") != std::string::npos);
  CHECK(refused({{"rl.trained", -0.1}}).front().hint.find("the nearest is 0") != std::string::npos);
  CHECK(refused({{"mfu.decode", 1.5}}).front().hint.find("the nearest is 1") != std::string::npos);
  const Errors below = refused({{"loss", 1.8}});
  CHECK(below.front().what.find("irreducible 1.817") != std::string::npos);
  CHECK(below.front().hint.find("just above 1.817") != std::string::npos);
  const Errors small = refused({{"loss", 1.9}, {"params", 1e9}});
  CHECK(small.front().what.find("never reach") != std::string::npos);
  // the size it names is enough, and a little less is not
  CHECK(refused({{"loss", 1.9}, {"tokens", 1e12}}).front().what.find("one follows from the other") !=
        std::string::npos);
}
