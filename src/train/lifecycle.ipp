#pragma once
// The equations of the lifecycle; include only from files that instantiate them.

#include "train/lifecycle.hpp"

#include "train/scaling.ipp"

namespace ridge {

namespace lifecycle {

/// What the plan does, before anything is optimized.
template <class S>
struct Basis {
  LossLaw<S> law;                                              // in the parameters a token uses
  FlopsPerParamToken<S> pretraining, rollouts, serving;        // of peak compute
  Quantity<kFlop / kParam, S> rollouts_all, serving_all, all;  // of all tokens but the pre-training ones
  Quantity<kDollar / kFlop, S> flop;                           // of peak compute
  Tokens<S> served, equal_pretraining, equal_rollouts, rollout_tokens, tokens, others;
  Ratio<S> excess;  // cost of the others over that of pre-training
  Ratio<S> reducible;
};

/// A model with experts is as good as a dense one mu times its active size: A/(mu N)^alpha = (A/mu^alpha)/N^alpha.
template <class S>
LossLaw<S> law_of(const LifecycleCase<S>& c) {
  return {c.loss_floor, named("A_mu", c.loss_size / pow(c.multiple, c.size_power)), c.size_power, c.loss_data,
          c.data_power};
}

template <class S>
Basis<S> basis_of(const LifecycleCase<S>& c) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto forward = literal<FlopsPerParamToken<S>>(kForward);
  const auto both = literal<FlopsPerParamToken<S>>(kForward + kBackward);
  Basis<S> b;
  b.law = law_of(c);
  b.pretraining = named("w_p", both / c.mfu_training);
  b.rollouts =
      named("w_r", forward / c.mfu_decode + c.trained * both / c.mfu_training + c.references * forward / c.mfu_prefill);
  b.serving =
      named("w_i", c.serving_cost * (forward * (one - c.prompts) / c.mfu_decode + forward * c.prompts / c.mfu_prefill));
  b.served = named("D_i", c.served * c.life);
  b.serving_all = named("serving", b.serving * b.served);
  b.equal_pretraining = named("D_equal", b.serving_all / b.pretraining);
  b.equal_rollouts = named("D_r_equal", b.serving_all / b.rollouts);
  b.rollout_tokens = c.plan.equal_rollouts ? b.equal_rollouts : c.rollouts;
  b.rollouts_all = c.plan.equal_rollouts ? b.serving_all : named("rollouts", b.rollouts * c.rollouts);
  b.all = b.rollouts_all + b.serving_all;
  b.others = named("D_o", b.all / b.pretraining);
  b.flop = named("c", c.price / c.peak);
  using enum LifecyclePlan::Pretraining;
  // what is set equal cancels here, so that ranges of it do not come back as width
  const Ratio<S> beside_serving = c.plan.equal_rollouts ? one : b.rollouts_all / b.serving_all;
  const bool equal_pretraining = c.plan.pretraining == equal;
  if (c.plan.pretraining == by_loss) {
    b.reducible = named("R", c.target - c.loss_floor);
    b.tokens = named("D_p", tokens_for_loss(b.law, b.reducible, c.params));
  } else {
    b.tokens = c.plan.pretraining == given ? c.pretraining : b.equal_pretraining;
    b.reducible = named("R", reducible_loss<S>(b.law, {c.params, b.tokens}));
  }
  b.excess = named("excess", equal_pretraining ? one + beside_serving : b.others / b.tokens);
  return b;
}

template <class S>
void of_plan(const LifecycleCase<S>& c, const Basis<S>& b, LifecycleEstimate<S>& e) {
  const auto one = literal<Ratio<S>>(1.0);
  e.served = b.served;
  e.work_pretraining = b.pretraining;
  e.work_rollouts = b.rollouts;
  e.work_serving = b.serving;
  e.equal_pretraining = b.equal_pretraining;
  e.equal_rollouts = b.equal_rollouts;
  e.pretraining = b.tokens;
  e.rollouts = b.rollout_tokens;
  e.others = b.others;
  e.loss = named("L", c.loss_floor + b.reducible);
  const auto each = b.flop * c.params;
  e.cost_pretraining = named("cost_p", each * b.pretraining * b.tokens);
  e.cost_rollouts = named("cost_r", each * b.rollouts_all);
  e.cost_serving = named("cost_i", each * b.serving_all);
  e.cost = named("cost", each * b.pretraining * b.tokens * (one + b.excess));
  e.share_pretraining = named("share_p", one / (one + b.excess));
  e.over_rule = named("over_rule", b.tokens / (c.rule * c.params));
  e.over_law = named("over_law", b.tokens / optimal_tokens(b.law, c.params));
  const TrainedModel<S> least = least_training(b.law, b.reducible);
  e.least_params = least.params;
  e.least_tokens = least.tokens;
  e.training_price = named("training_price", c.params / least.params * (b.tokens / least.tokens));
  e.smaller = named("smaller", least.params / c.params);
}

template <class S>
void of_optimum(const LifecycleCase<S>& c, const Basis<S>& b, LifecycleEstimate<S>& e) {
  const auto one = literal<Ratio<S>>(1.0);
  const LifetimeOptimum<S> best = lifetime_optimum(b.law, b.reducible, b.others);
  e.best_params = best.model.params;
  e.best_tokens = best.model.tokens;
  e.best_excess = best.excess;
  const auto each = b.flop * e.best_params;
  e.best_pretraining = named("best_p", each * b.pretraining * e.best_tokens);
  e.best_rollouts = named("best_r", each * b.rollouts_all);
  e.best_serving = named("best_i", each * b.serving_all);
  e.best_cost = named("best_cost", each * (b.pretraining * e.best_tokens + b.all));
  e.best_share = named("best_share", one / (one + e.best_excess));
  // never more expensive than the plan; max tells intervals so
  e.saving = named("saving", max(literal<Ratio<S>>(0.0), one - e.best_cost / e.cost));
  e.best_over_rule = named("best_over_rule", e.best_tokens / (c.rule * e.best_params));
  e.best_over_law = named("best_over_law", scaling::root(one + e.best_excess, c.data_power));
}

template <class S>
void of_budget(const LifecycleCase<S>& c, const Basis<S>& b, LifecycleEstimate<S>& e) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto three = literal<Ratio<S>>(3.0);
  e.budget = c.plan.has_budget ? c.budget : e.cost;
  const auto both = literal<FlopsPerParamToken<S>>(kForward + kBackward);
  // FLOP of all of it, had all of it training's efficiency
  const Flops<S> flops = named(
      "C_all", c.plan.has_budget ? c.budget / b.flop * c.mfu_training : both * c.params * b.tokens * (one + b.excess));
  const bool cancels = !c.plan.has_budget && c.plan.pretraining == LifecyclePlan::Pretraining::equal;
  e.equal_params =
      named("N_equal", cancels ? c.params * (one + b.excess) / three : flops / (both * three * b.equal_pretraining));
  const LifetimeOptimum<S> best = lifetime_budget_optimum(b.law, flops, b.others);
  e.budget_params = best.model.params;
  e.budget_tokens = best.model.tokens;
  e.budget_loss = named("L_budget", c.loss_floor + reducible_loss(b.law, best.model));
  e.budget_over_law = named("budget_over_law", scaling::root(one + best.excess, c.data_power));
}

}  // namespace lifecycle

template <class S>
LifecycleEstimate<S> estimate_lifecycle(const LifecycleCase<S>& c) {
  const lifecycle::Basis<S> basis = lifecycle::basis_of(c);
  LifecycleEstimate<S> e;
  lifecycle::of_plan(c, basis, e);
  lifecycle::of_optimum(c, basis, e);
  lifecycle::of_budget(c, basis, e);
  return e;
}

template <class S>
Dollars<S> cost_at_size(const LifecycleCase<S>& c, const Params<S>& params) {
  const lifecycle::Basis<S> b = lifecycle::basis_of(c);
  const Tokens<S> tokens = tokens_for_loss(b.law, b.reducible, params);
  return b.flop * params * (b.pretraining * tokens + b.all);
}

}  // namespace ridge
