#pragma once
// The equations of scaling.hpp; include only from files that instantiate them. Each is written so that an input stands as
// few times as possible: ranges then stay narrow.

#include "train/scaling.hpp"

namespace ridge {

namespace scaling {

template <class S>
Ratio<S> in_params(const Params<S>& params) {
  return params / literal<Params<S>>(1.0);
}
template <class S>
Ratio<S> in_tokens(const Tokens<S>& tokens) {
  return tokens / literal<Tokens<S>>(1.0);
}
template <class S>
Params<S> as_params(const Ratio<S>& number) {
  return number * literal<Params<S>>(1.0);
}
template <class S>
Tokens<S> as_tokens(const Ratio<S>& number) {
  return number * literal<Tokens<S>>(1.0);
}

template <class S>
Ratio<S> root(const Ratio<S>& of, const Ratio<S>& degree) {
  return pow(of, literal<Ratio<S>>(1.0) / degree);
}

/// alpha A / (beta B)
template <class S>
Ratio<S> pull_of_size(const LossLaw<S>& law) {
  return law.size_power * law.size_factor / (law.data_power * law.data_factor);
}

}  // namespace scaling

template <class S>
Ratio<S> size_loss(const LossLaw<S>& law, const Params<S>& params) {
  return law.size_factor / pow(scaling::in_params(params), law.size_power);
}

template <class S>
Ratio<S> reducible_loss(const LossLaw<S>& law, const TrainedModel<S>& model) {
  const Ratio<S> size = named("R_size", size_loss(law, model.params));
  const Ratio<S> data = named("R_data", law.data_factor / pow(scaling::in_tokens(model.tokens), law.data_power));
  return size + data;
}

template <class S>
TrainedModel<S> compute_optimal(const LossLaw<S>& law, const Flops<S>& budget) {
  const Ratio<S> powers = law.size_power + law.data_power;
  const Ratio<S> product = budget / literal<Flops<S>>(kForward + kBackward);  // parameters x tokens
  const Ratio<S> g = named("G", scaling::root(scaling::pull_of_size(law), powers));
  return {named("N_optimal", scaling::as_params<S>(g * pow(product, law.data_power / powers))),
          named("D_optimal", scaling::as_tokens<S>(pow(product, law.size_power / powers) / g))};
}

template <class S>
TrainedModel<S> least_training(const LossLaw<S>& law, const Ratio<S>& reducible) {
  const auto one = literal<Ratio<S>>(1.0);
  const Ratio<S> ratio = law.size_power / law.data_power;
  return {named("N_least",
                scaling::as_params<S>(scaling::root(law.size_factor * (one + ratio) / reducible, law.size_power))),
          named("D_least", scaling::as_tokens<S>(
                               scaling::root(law.data_factor * (one + one / ratio) / reducible, law.data_power)))};
}

template <class S>
Tokens<S> optimal_tokens(const LossLaw<S>& law, const Params<S>& params) {
  return scaling::as_tokens<S>(
      scaling::root(pow(scaling::in_params(params), law.size_power) / scaling::pull_of_size(law), law.data_power));
}

template <class S>
Tokens<S> tokens_for_loss(const LossLaw<S>& law, const Ratio<S>& reducible, const Params<S>& params) {
  const Ratio<S> left = named("R_left", reducible - size_loss(law, params));
  return scaling::as_tokens<S>(scaling::root(divide_or_unbounded(law.data_factor, left), law.data_power));
}

template <class S>
Params<S> smallest_params(const LossLaw<S>& law, const Ratio<S>& reducible) {
  return scaling::as_params<S>(scaling::root(law.size_factor / reducible, law.size_power));
}

template <class S>
LifetimeOptimum<S> lifetime_optimum(const LossLaw<S>& law, const Ratio<S>& reducible, const Tokens<S>& others) {
  const auto one = literal<Ratio<S>>(1.0);
  const TrainedModel<S> least = least_training(law, reducible);
  const Ratio<S> share = named("m", law.data_power / (law.size_power + law.data_power));
  LifetimeOptimum<S> best;
  best.excess = named("x", balance(others / least.tokens, share, one / law.data_power));
  best.model.tokens = named("D_best", least.tokens * scaling::root(one + share * best.excess, law.data_power));
  const Ratio<S> ratio = law.size_power / (law.data_power * (one + best.excess));
  best.model.params = named(
      "N_best", scaling::as_params<S>(scaling::root(law.size_factor * (one + ratio) / reducible, law.size_power)));
  return best;
}

template <class S>
LifetimeOptimum<S> lifetime_budget_optimum(const LossLaw<S>& law, const Flops<S>& budget, const Tokens<S>& others) {
  const auto one = literal<Ratio<S>>(1.0);
  const Ratio<S> powers = one + law.data_power / law.size_power;
  const Ratio<S> q = named("q", (one / law.size_power - one) / powers);
  // tokens for which the budget would be compute-optimal if there were no others
  const Tokens<S> alone = compute_optimal(law, budget).tokens;
  LifetimeOptimum<S> best;
  best.excess = named("x_budget", balance(others / alone, one, q));
  best.model.tokens = named("D_budget", alone * pow(one + best.excess, q));
  best.model.params =
      named("N_budget", budget / (literal<FlopsPerParamToken<S>>(kForward + kBackward) * (best.model.tokens + others)));
  return best;
}

template <class S>
Ratio<S> effective_experts(const ExpertLaw<S>& law, const Ratio<S>& experts) {
  const auto one = literal<Ratio<S>>(1.0);
  const Ratio<S> start = one / (one / law.first - one / law.most);
  return one / (one / (experts - one + start) + one / law.most);
}

namespace scaling {

/// The exponent of N in the loss: a + c lg E'.
template <class S>
Ratio<S> size_exponent(const ExpertLaw<S>& law, const Ratio<S>& effective) {
  return law.size + law.both * log(effective) / log(literal<Ratio<S>>(10.0));
}

}  // namespace scaling

template <class S>
Ratio<S> expert_loss(const ExpertLaw<S>& law, const Params<S>& params, const Ratio<S>& experts) {
  const Ratio<S> effective = effective_experts(law, experts);
  return pow(literal<Ratio<S>>(10.0), law.constant) *
         pow(scaling::in_params(params), scaling::size_exponent(law, effective)) * pow(effective, law.experts);
}

template <class S>
Params<S> dense_equivalent(const ExpertLaw<S>& law, const Params<S>& params, const Ratio<S>& experts) {
  const Ratio<S> effective = named("E_effective", effective_experts(law, experts));
  const Ratio<S> dense = scaling::size_exponent(law, law.first);  // a model without experts has E = 1, so E' = first
  return named("N_dense",
               scaling::as_params<S>(pow(scaling::in_params(params), scaling::size_exponent(law, effective) / dense) *
                                     pow(effective / law.first, law.experts / dense)));
}

template <class S>
LossLaw<S> at_granularity(const GranularLaw<S>& law, const Ratio<S>& granularity) {
  LossLaw<S> fine = law.coarse;
  fine.size_factor = law.factor / pow(granularity, law.power) + law.coarse.size_factor;
  return fine;
}

template <class S>
Params<S> effective_params(const PrecisionLaw<S>& law, const Params<S>& params, const PrecisionLaw<S>& bits) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto kept = [&](const Ratio<S>& gamma, const Ratio<S>& of) -> Ratio<S> {
    constexpr double kE = 2.718281828459045;
    return one - one / pow(literal<Ratio<S>>(kE), of / gamma);
  };
  return params * (kept(law.weights, bits.weights) * kept(law.activations, bits.activations) * kept(law.kv, bits.kv));
}

template <class S>
Tokens<S> tokens_for_compute(const TokenLaw<S>& law, const Flops<S>& compute) {
  return scaling::as_tokens<S>(law.factor * pow(compute / literal<Flops<S>>(1.0), law.power));
}

}  // namespace ridge
