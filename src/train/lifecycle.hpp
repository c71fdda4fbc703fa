#pragma once
// The life of a model on one bill: pre-training, reinforcement learning and serving, what each costs, and the size and
// data that make the whole of it least. docs/theory/lifecycle.md derives every line.

#include <cstddef>

#include "base/field_list.hpp"
#include "base/number/units.hpp"
#include "roofline/decode.hpp"
#include "train/scaling.hpp"

namespace ridge {

/// What is given and what follows. Plain, the same for all lanes of a sweep.
struct LifecyclePlan {
  enum class Pretraining { given, equal, by_loss };  // tokens; as dear as serving; as many as reach the loss
  Pretraining pretraining = Pretraining::equal;
  bool equal_rollouts = true;  // reinforcement learning as dear as serving; otherwise so many tokens
  bool has_budget = false;     // otherwise the budget is what the plan costs

  bool operator==(const LifecyclePlan&) const = default;
};

/// Every number the lifecycle's equations read. Efficiencies are shares of a chip's peak.
template <class S>
struct LifecycleCase {
  Ratio<S> loss_floor, loss_size, size_power, loss_data, data_power;  // the scaling law: E, A, alpha, B, beta
  Params<S> params;                                                   // those a token uses
  Ratio<S> multiple;  // parameters of the dense model that is as good, over those
  Tokens<S> pretraining, rollouts;
  Ratio<S> target;  // loss
  TokensPerSecond<S> served;
  Seconds<S> life;
  Ratio<S> prompts;              // share of the served tokens that are prompts
  Ratio<S> trained, references;  // of the rollouts: share trained on, forward passes of other models
  Ratio<S> mfu_training, mfu_decode, mfu_prefill;
  Ratio<S> serving_cost;  // of a served token, over what the efficiencies say
  FlopsPerSecond<S> peak;
  DollarsPerSecond<S> price;
  Dollars<S> budget;
  TokensPerParam<S> rule;  // tokens a parameter that count as trained enough
  LifecyclePlan plan;
};

/// Calls visit(InputInfo, field) for every input, always in the same order: the list behind --set, --range, --sensitivity,
/// derivations and JSON.
template <class Case, class Visit>
constexpr void visit_lifecycle_inputs(Case& c, Visit&& visit) {
  using enum Domain;
  visit(InputInfo{"loss.floor", "E", "loss that no model goes below", not_negative}, c.loss_floor);
  visit(InputInfo{"loss.size", "A", "what size adds to the loss, at one parameter", positive}, c.loss_size);
  visit(InputInfo{"loss.size_power", "alpha", "power of the size", power}, c.size_power);
  visit(InputInfo{"loss.data", "B", "what data add to the loss, at one token", positive}, c.loss_data);
  visit(InputInfo{"loss.data_power", "beta", "power of the data", power}, c.data_power);
  visit(InputInfo{"params", "N", "active parameters", positive}, c.params);
  visit(InputInfo{"multiple", "mu", "dense model that is as good, over those", positive}, c.multiple);
  visit(InputInfo{"tokens", "D_given", "pre-training tokens", positive}, c.pretraining);
  visit(InputInfo{"rl_tokens", "D_rollouts", "tokens of reinforcement learning", not_negative}, c.rollouts);
  visit(InputInfo{"loss", "L_wanted", "loss to reach", positive}, c.target);
  visit(InputInfo{"served", "r", "tokens served a second, on average", positive}, c.served);
  visit(InputInfo{"life", "t", "time in service", positive}, c.life);
  visit(InputInfo{"prompts", "s", "share of them that are input (prefill) tokens", part}, c.prompts);
  visit(InputInfo{"rl.trained", "f", "share of the rollouts that are trained on", part}, c.trained);
  visit(InputInfo{"rl.references", "h", "forward passes of other models over the rollouts", not_negative},
        c.references);
  visit(InputInfo{"mfu.training", "e_t", "MFU of training", share}, c.mfu_training);
  visit(InputInfo{"mfu.decode", "e_d", "MFU of decode", share}, c.mfu_decode);
  visit(InputInfo{"mfu.prefill", "e_p", "MFU of prefill", share}, c.mfu_prefill);
  visit(InputInfo{"serving.cost", "z", "cost of a served token over what the shares say", positive}, c.serving_cost);
  visit(InputInfo{"peak", "C", "dense matrix peak of a chip", positive}, c.peak);
  visit(InputInfo{"price", "p", "price of a chip", positive}, c.price);
  visit(InputInfo{"budget", "T_given", "what all of it may cost", positive}, c.budget);
  visit(InputInfo{"tokens_per_param", "k", "tokens a parameter that count as trained enough", positive}, c.rule);
}

inline constexpr std::size_t kLifecycleInputs = 23;

/// Whether an input, by its key, is read under a plan.
constexpr bool is_present(const LifecyclePlan& plan, std::string_view key) {
  using enum LifecyclePlan::Pretraining;
  if (key == "tokens") return plan.pretraining == given;
  if (key == "loss") return plan.pretraining == by_loss;
  if (key == "rl_tokens") return !plan.equal_rollouts;
  if (key == "budget") return plan.has_budget;
  return true;
}

template <class S>
struct LifecycleEstimate {
  Tokens<S> served;
  FlopsPerParamToken<S> work_pretraining, work_rollouts, work_serving;  // of peak compute, for a token and parameter
  Tokens<S> equal_pretraining, equal_rollouts;                          // each costs as much as serving
  Params<S> equal_params;                                               // that the budget then pays for
  Tokens<S> pretraining, rollouts, others;  // of the plan; the others counted by their cost in pre-training tokens
  Ratio<S> loss;
  Dollars<S> cost_pretraining, cost_rollouts, cost_serving, cost;
  Ratio<S> share_pretraining;
  Ratio<S> over_rule, over_law;  // tokens over those of the rule, and of the compute-optimal model of this size
  Params<S> least_params;        // the same loss with the least training
  Tokens<S> least_tokens;
  Ratio<S> training_price, smaller;  // what over-training costs in training FLOP, and buys in size
  Params<S> best_params;             // the same loss at the least cost of all
  Tokens<S> best_tokens;
  Ratio<S> best_excess;  // cost of all others over that of pre-training, at the optimum
  Dollars<S> best_pretraining, best_rollouts, best_serving, best_cost;
  Ratio<S> best_share, saving, best_over_rule, best_over_law;
  Dollars<S> budget;
  Params<S> budget_params;  // the least loss for the budget
  Tokens<S> budget_tokens;
  Ratio<S> budget_loss, budget_over_law;
};

/// Calls visit(OutputInfo, field) for every output, always in the same order.
template <class Estimate, class Visit>
constexpr void visit_lifecycle_outputs(Estimate& e, Visit&& visit) {
  visit(OutputInfo{"served_tokens", "tokens served in all"}, e.served);
  visit(OutputInfo{"work_pretraining", "peak compute of a pre-training token, for each parameter"}, e.work_pretraining);
  visit(OutputInfo{"work_rollouts", "the same of a token of reinforcement learning"}, e.work_rollouts);
  visit(OutputInfo{"work_serving", "the same of a served token"}, e.work_serving);
  visit(OutputInfo{"equal_tokens", "pre-training tokens that cost as much as serving"}, e.equal_pretraining);
  visit(OutputInfo{"equal_rl_tokens", "rollout tokens that cost as much as serving"}, e.equal_rollouts);
  visit(OutputInfo{"equal_params", "parameters the budget pays for if the three cost the same"}, e.equal_params);
  visit(OutputInfo{"tokens", "pre-training tokens"}, e.pretraining);
  visit(OutputInfo{"rl_tokens", "tokens of reinforcement learning"}, e.rollouts);
  visit(OutputInfo{"other_tokens", "rollouts and serving, in pre-training tokens of the same cost"}, e.others);
  visit(OutputInfo{"loss", "loss under the scaling law"}, e.loss);
  visit(OutputInfo{"cost_pretraining", "cost of pre-training"}, e.cost_pretraining);
  visit(OutputInfo{"cost_rl", "cost of reinforcement learning"}, e.cost_rollouts);
  visit(OutputInfo{"cost_serving", "cost of serving"}, e.cost_serving);
  visit(OutputInfo{"cost", "cost of all"}, e.cost);
  visit(OutputInfo{"share_pretraining", "share of it that is pre-training"}, e.share_pretraining);
  visit(OutputInfo{"over_rule", "pre-training tokens over those of the rule"}, e.over_rule);
  visit(OutputInfo{"over_law", "the same over those for which this size is compute-optimal"}, e.over_law);
  visit(OutputInfo{"least_params", "parameters that reach the loss with the least training"}, e.least_params);
  visit(OutputInfo{"least_tokens", "their tokens"}, e.least_tokens);
  visit(OutputInfo{"training_price", "training FLOP over the least for this loss"}, e.training_price);
  visit(OutputInfo{"smaller", "how much smaller the model is than that one"}, e.smaller);
  visit(OutputInfo{"best_params", "parameters that reach the loss at the least cost of all"}, e.best_params);
  visit(OutputInfo{"best_tokens", "their pre-training tokens"}, e.best_tokens);
  visit(OutputInfo{"best_excess", "cost of all others over that of pre-training, there"}, e.best_excess);
  visit(OutputInfo{"best_cost_pretraining", "cost of pre-training, there"}, e.best_pretraining);
  visit(OutputInfo{"best_cost_rl", "cost of reinforcement learning, there"}, e.best_rollouts);
  visit(OutputInfo{"best_cost_serving", "cost of serving, there"}, e.best_serving);
  visit(OutputInfo{"best_cost", "cost of all, there"}, e.best_cost);
  visit(OutputInfo{"best_share", "share of it that is pre-training"}, e.best_share);
  visit(OutputInfo{"saving", "share of the plan's cost that it saves"}, e.saving);
  visit(OutputInfo{"best_over_rule", "its tokens over those of the rule"}, e.best_over_rule);
  visit(OutputInfo{"best_over_law", "the same over those for which its size is compute-optimal"}, e.best_over_law);
  visit(OutputInfo{"budget", "the budget"}, e.budget);
  visit(OutputInfo{"budget_params", "parameters with the least loss for the budget"}, e.budget_params);
  visit(OutputInfo{"budget_tokens", "their pre-training tokens"}, e.budget_tokens);
  visit(OutputInfo{"budget_loss", "that loss"}, e.budget_loss);
  visit(OutputInfo{"budget_over_law", "over-training of that model"}, e.budget_over_law);
}

inline constexpr std::size_t kLifecycleOutputs = 38;

template <class S>
LifecycleEstimate<S> estimate_lifecycle(const LifecycleCase<S>& c);

/// What all of it costs with so many parameters, trained until the plan's loss is reached; unbounded where no number of
/// tokens does.
template <class S>
Dollars<S> cost_at_size(const LifecycleCase<S>& c, const Params<S>& params);

// The same inputs in another reading, and the outputs as a list.

template <>
struct FieldList<LifecycleCase> {
  using Info = InputInfo;
  static constexpr std::size_t kCount = kLifecycleInputs;
  static constexpr void visit(auto& c, auto&& f) { visit_lifecycle_inputs(c, f); }
  static constexpr void keep_terms(const auto& from, auto& to) { to.plan = from.plan; }
};

template <>
struct FieldList<LifecycleEstimate> {
  using Info = OutputInfo;
  static constexpr std::size_t kCount = kLifecycleOutputs;
  static constexpr void visit(auto& estimate, auto&& f) { visit_lifecycle_outputs(estimate, f); }
};

}  // namespace ridge
