// Is the optimum of a random life the optimum, and do its bounds hold?

#include <cmath>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "train/lifecycle_answer.hpp"

using namespace ridge;

namespace {

double between(double low, double high) {  // evenly on a logarithmic scale
  return low * std::pow(high / low, *rc::gen::inRange(0, 1000001) / 1e6);
}

/// A law, a plan and a load of any sensible size.
LifecycleCase<double> random_life() {
  LifecycleCase<double> c;
  c.loss_floor = between(0.1, 3);
  c.loss_size = between(5, 3000);
  c.size_power = between(0.1, 0.6);
  c.loss_data = between(5, 3000);
  c.data_power = between(0.1, 0.6);
  c.params = Params<double>(between(1e7, 1e13));
  c.multiple = between(1, 10);
  c.pretraining = Tokens<double>(between(1e8, 1e16));
  c.rollouts = Tokens<double>(*rc::gen::arbitrary<bool>() ? 0.0 : between(1e6, 1e16));
  c.served = TokensPerSecond<double>(between(1, 1e10));
  c.life = Seconds<double>(between(3600, 1e9));
  c.prompts = *rc::gen::inRange(0, 101) / 100.0;
  c.trained = *rc::gen::inRange(0, 101) / 100.0;
  c.references = static_cast<double>(*rc::gen::inRange(0, 4));
  c.mfu_training = between(0.05, 1);
  c.mfu_decode = between(0.005, 1);
  c.mfu_prefill = between(0.05, 1);
  c.serving_cost = between(0.01, 10);
  c.peak = FlopsPerSecond<double>(between(1e13, 1e17));
  c.price = DollarsPerSecond<double>(between(1e-5, 1e-2));
  c.budget = Dollars<double>(between(1e3, 1e13));
  c.rule = TokensPerParam<double>(20.0);
  c.target = 0.0;
  using enum LifecyclePlan::Pretraining;
  c.plan = {*rc::gen::arbitrary<bool>() ? given : equal, *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  return c;
}

}  // namespace

TEST_CASE("no size reaches the loss of a random plan for less than the optimum") {
  CHECK(rc::check([] {
    const LifecycleCase<double> c = random_life();
    const LifecycleEstimate<double> e = estimate_lifecycle(c);
    RC_ASSERT(std::isfinite(e.best_cost.value()));
    RC_ASSERT(e.best_cost.value() <= e.cost.value() * (1 + 1e-9));
    const double elsewhere = cost_at_size(c, between(0.05, 20) * e.best_params).value();
    RC_ASSERT(elsewhere >= e.best_cost.value() * (1 - 1e-9));
    RC_ASSERT(e.least_params.value() >= e.best_params.value() * (1 - 1e-9));
    RC_ASSERT(e.training_price.value() >= 1 - 1e-9);
    if (!c.plan.has_budget) RC_ASSERT(e.budget_loss.value() <= e.loss.value() * (1 + 1e-9));
  }));
}

TEST_CASE("a random point of a random box lies within its bounds") {
  CHECK(rc::check([] {
    const LifecycleCase<double> c = random_life();
    const auto values = input_values(c);
    Box box;
    std::array<double, kLifecycleInputs> point = values;
    for (int i = 0; i < 2; ++i) {
      const auto index = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(kLifecycleInputs)));
      if (!box.empty() && box.front().index == index) continue;
      const Domain domain = lifecycle_input_info(index).domain;
      double high = values[index] * between(1, 2);
      if (domain == Domain::share || domain == Domain::part) high = std::min(high, 1.0);
      box.push_back({index, {values[index], high}});
      point[index] = values[index] + (high - values[index]) * *rc::gen::inRange(0, 101) / 100.0;
    }
    const FigureBounds bounds = bound_lifecycle(c, box, 16);
    const auto at = output_values(estimate_lifecycle(
        read_as<double>(c, [&](std::size_t index, const InputInfo&, Dimension, double) { return point[index]; })));
    for (std::size_t i = 0; i < kLifecycleOutputs; ++i) {
      RC_LOG() << lifecycle_output_info(i).key << " " << at[i] << " in " << bounds[i].low << " " << bounds[i].high;
      RC_ASSERT(bounds[i].contains(at[i]));
    }
  }));
}
