// Claims about the life of a model: what training, reinforcement learning and serving take, and what is worth training.

#include <cmath>

#include "claims/computations.hpp"
#include "train/scaling.hpp"

namespace ridge {

namespace {

/// The lecture's lifecycle with nothing lost: every share of the peak is 1.
LifecycleCase<double> without_losses(LifecycleCase<double> c) {
  c.mfu_training = c.mfu_decode = c.mfu_prefill = 1.0;
  return c;
}

LifecycleCase<double> with_tokens(LifecycleCase<double> c, const Tokens<double>& tokens) {
  c.plan.pretraining = LifecyclePlan::Pretraining::given;
  c.pretraining = tokens;
  return c;
}

/// Where a x^p + b x^-q is least, the first term over the second; found by looking, not by the rule that is judged.
Ratio<double> ratio_at_least(double p, double q) {
  const auto sum = [&](double t) { return std::exp(p * t) + 3.0 * std::exp(-q * t); };  // t = ln x, a = 1, b = 3
  double low = -20, high = 20;
  for (int step = 0; step < 300; ++step) {
    const double third = (high - low) / 3;
    (sum(low + third) < sum(high - third) ? high : low) =
        sum(low + third) < sum(high - third) ? high - third : low + third;
  }
  return std::exp(p * low) / (3.0 * std::exp(-q * low));
}

}  // namespace

std::vector<Figure> c18(Inputs& in) {
  const auto params = in.given<Params<double>>("params");
  const auto experts = in.given<Ratio<double>>("experts");
  const auto dense = [&](const char* law) { return dense_equivalent(in.expert_law_named(law), params, experts); };
  const Params<double> base = dense("clark-2022"), learned = dense("clark-2022-rl"), hashed = dense("clark-2022-hash");
  const Params<double> large =
      dense_equivalent(in.expert_law_named("clark-2022"), in.given<Params<double>>("large"), experts);
  return {figure("s_base", "dense model as good, experts chosen by S-BASE", base),
          figure("s_base_times", "that over one path's parameters", base / params),
          figure("learned", "dense model as good, experts chosen by reinforcement learning", learned),
          figure("hashed", "the same, chosen by a hash", hashed),
          figure("large_times", "S-BASE on 37 billion active parameters, extrapolated: times one path",
                 large / in.given<Params<double>>("large"))};
}

std::vector<Figure> c32(Inputs& in) {
  LifecycleCase<double> c = without_losses(in.lifecycle());
  c.trained = 0.0;
  const auto none = estimate_lifecycle(c);
  c.trained = 1.0;
  const auto all = estimate_lifecycle(c);
  c.trained = in.given<Ratio<double>>("trained");
  return {figure("pretraining", "FLOP of a pre-training token for each parameter", none.work_pretraining),
          figure("serving", "of a served token", none.work_serving),
          figure("rl_least", "of a rollout token that is not trained on", none.work_rollouts),
          figure("rl_most", "of one that is: made, then run forward again and backward", all.work_rollouts),
          figure("rl_kept", "if making it counts as the forward pass of training it",
                 all.work_rollouts - none.work_rollouts)};
}

std::vector<Figure> c33(Inputs& in) {
  LifecycleCase<double> c = in.lifecycle();
  c.mfu_decode = c.mfu_training / in.given<Ratio<double>>("inefficiency");
  const auto e = estimate_lifecycle(c);
  return {figure("pretraining_over_rl", "pre-training tokens over rollout tokens of the same cost",
                 e.equal_pretraining / e.equal_rollouts),
          figure("pretraining_over_served", "pre-training tokens over served tokens of the same cost",
                 e.equal_pretraining / e.served),
          figure("cost_least", "cost of the plan over the least that reaches its loss", e.cost / e.best_cost)};
}

std::vector<Figure> c34(Inputs& in) {
  const auto p = in.given<Ratio<double>>("p"), q = in.given<Ratio<double>>("q");
  const auto e = estimate_lifecycle(in.lifecycle());
  return {
      figure("equal_powers", "first cost over second where x^p + 3 x^-p is least",
             ratio_at_least(p.value(), p.value())),
      figure("unequal_powers", "the same for x^p + 3 x^-q: q / p", ratio_at_least(p.value(), q.value())),
      figure("lifecycle", "RL and serving over pre-training at the least cost of the lecture's model, under the law",
             e.best_excess),
      figure("lifecycle_share", "share of pre-training there, where equal costs would be a third", e.best_share),
      figure("penalty", "what the equal split costs over the least", e.cost / e.best_cost)};
}

std::vector<Figure> c35(Inputs& in) {
  LifecycleCase<double> c = in.lifecycle();
  c.served = in.given<TokensPerSecond<double>>("rate");
  return {figure("tokens", "tokens in two months of 30 days", estimate_lifecycle(c).served)};
}

std::vector<Figure> c36(Inputs& in) {
  LifecycleCase<double> c = in.lifecycle();
  c.served = in.given<TokensPerSecond<double>>("rate");
  const auto said = in.given<Tokens<double>>("said");
  const auto e = estimate_lifecycle(c);
  return {figure("tokens", "tokens in two months of 30 days", e.served),
          figure("over_said", "those over the 200 trillion that were said", e.served / said)};
}

std::vector<Figure> c37(Inputs& in) {
  const LifecycleCase<double> c = in.lifecycle();
  const auto said = estimate_lifecycle(with_tokens(c, in.given<Tokens<double>>("tokens")));
  const auto less = estimate_lifecycle(with_tokens(c, in.given<Tokens<double>>("reported")));
  LifecycleCase<double> served = c;
  served.served = in.given<TokensPerSecond<double>>("rate");
  const auto exact = estimate_lifecycle(served);
  const auto over_rule = [&](const char* model, const char* tokens) {
    return in.given<Tokens<double>>(tokens) / (c.rule * Params<double>(active_parameters(in.model(model))));
  };
  return {
      figure("rule_tokens", "tokens of the rule for 100 billion parameters", c.rule * c.params),
      figure("said", "200 trillion tokens over those", said.over_rule),
      figure("reported", "150 trillion over those", less.over_rule),
      figure("exact", "50 million tokens a second for 60 days over those", exact.over_rule),
      figure("deepseek_v3", "DeepSeek-V3's tokens over those of its active parameters",
             over_rule("deepseek-v3", "deepseek_v3")),
      figure("llama_3_1_70b", "the same of Llama 3.1 70B", over_rule("llama-3.1-70b", "llama_3_1")),
      figure("llama_3_1_8b", "of Llama 3.1 8B", over_rule("llama-3.1-8b", "llama_3_1")),
      figure("qwen3_235b_a22b", "of Qwen3 235B-A22B", over_rule("qwen3-235b-a22b", "qwen3_235b_a22b")),
      figure("law", "200 trillion over what the refitted law calls optimal at this size", said.over_law),
      figure("least_cost", "the same of the model with that loss whose whole life costs least", said.best_over_law)};
}

std::vector<Figure> c38(Inputs& in) {
  const auto e = estimate_lifecycle(with_tokens(in.lifecycle(), in.given<Tokens<double>>("tokens")));
  return {figure("training_price", "training FLOP over the least for the same loss", e.training_price),
          figure("smaller", "times the model is smaller than that one", e.smaller),
          figure("least_params", "parameters of that one", e.least_params),
          figure("least_tokens", "its tokens", e.least_tokens),
          figure("whole_life", "cost of the whole life over the least for that loss", e.cost / e.best_cost)};
}

std::vector<Figure> c62(Inputs& in) {
  const LifecycleCase<double> c = in.lifecycle();
  LifecycleCase<double> none = c;  // the same model and loss without any reinforcement learning
  none = with_tokens(none, estimate_lifecycle(c).pretraining);
  none.plan.equal_rollouts = false;
  none.rollouts = {};
  LifecycleCase<double> efficient = c;
  efficient.mfu_decode = c.mfu_training;
  const auto with = estimate_lifecycle(c), without = estimate_lifecycle(none), better = estimate_lifecycle(efficient);
  return {figure("rule", "over-training by the lecture's rule, over the same without reinforcement learning",
                 with.equal_pretraining / without.equal_pretraining),
          figure("optimum", "over-training at the least cost, over the same without reinforcement learning",
                 with.best_over_law / without.best_over_law),
          figure("over_rule", "over-training by the lecture's rule", with.over_rule),
          figure("efficient", "the same if decoding were as efficient as training", better.over_rule)};
}

}  // namespace ridge
