#include "train/step/training_flops.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

/// Attention of one token that sees half of the sequence on average. Prefill's way: latent attention is expanded.
double causal_attention(const ContextTerms& terms, double sequence) {
  double sum = 0;
  for (const ContextTerm& term : terms) {
    const double full = term.limit < sequence ? term.limit : sequence;
    // below its limit a token sees a growing context, beyond it all of the window
    const double mean = full - full * full / (2 * sequence);
    const double flops = term.prefill_flops > 0 ? term.prefill_flops : term.flops;
    sum += flops * mean + term.fixed_flops + term.root_flops * std::sqrt(sequence) * 2 / 3;
  }
  return sum;
}

double full_attention(const ContextTerms& terms, double sequence) {
  double sum = 0;
  for (const ContextTerm& term : terms) {
    const double flops = term.prefill_flops > 0 ? term.prefill_flops : term.flops;
    sum += flops * (term.limit < sequence ? term.limit : sequence) + term.fixed_flops;
  }
  return sum;
}

/// Of a token's forward pass, what a policy computes again by module.
double module_flops(const Model& model, const RecomputePolicy& policy, double attention) {
  double sum = policy.core_attention ? attention : 0;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const Layer& layer = model.kinds[kind];
    const double times = layers_of(model, kind);
    for (const Weight& weight : weights_of(layer, model.hidden)) {
      if (weight.use != Use::matrix || weight.part == Part::embedding) continue;
      const bool network = weight.part != Part::attention;
      const bool again = !network                    ? policy.mla_up && is_up_projection(weight)
                         : layer.experts.has_value() ? policy.moe
                                                     : policy.mlp;
      if (again) sum += 2 * weight.active() * times;
    }
  }
  return sum;
}

}  // namespace

bool is_up_projection(const Weight& weight) {
  return weight.name == "self_attn.q_b_proj" || weight.name == "self_attn.kv_b_proj";
}

bool is_shared_in_training(const Weight& weight, const Model& model) {
  return weight.part == Part::mtp && weight.in == model.hidden && weight.out == model.vocabulary;
}

ForwardFlops forward_flops(const Model& model, double sequence) {
  ForwardFlops out;
  out.products = weight_flops(model);
  out.attention = causal_attention(context_terms(model), sequence);
  visit_weights(model, [&](const Weight& weight, double times) {
    if (weight.part == Part::mtp && weight.use != Use::table && !is_shared_in_training(weight, model))
      out.mtp += 2 * weight.active() * times;
  });
  // every module has a head and attention of its own kind
  for (const std::size_t kind : model.mtp_order) {
    out.mtp += 2 * model.hidden * model.vocabulary;
    out.mtp += causal_attention(std::visit([](const auto& mixer) { return mixer.context(); }, model.kinds[kind].mixer),
                                sequence);
  }
  return out;
}

TrainingFlops training_flops(const Model& model, double sequence, const RecomputePolicy& recompute, bool unfused,
                             double stages) {
  const ForwardFlops forward = forward_flops(model, sequence);
  const double square = full_attention(context_terms(model), sequence);
  const double head = 2 * model.hidden * model.vocabulary;
  TrainingFlops out;
  const auto set = [&](FlopConvention convention, double value) {
    out.per_token[static_cast<std::size_t>(convention)] = value;
  };
  set(FlopConvention::causal, 3 * (forward.products + forward.attention + forward.mtp));
  set(FlopConvention::full, 3 * (forward.products + square + forward.mtp));
  set(FlopConvention::parameters, 6 * active_parameters(model));
  const double attention = unfused ? square : forward.attention;
  const double layers = model.layers(), whole = recompute.reversible ? layers : recompute.full_layers * stages;
  const double share = layers > 0 ? std::min(1.0, whole / layers) : 0;
  const double again = share * (forward.products - head + attention) +
                       (share < 1 ? (1 - share) * module_flops(model, recompute, attention) : 0);
  // a fused attention computes its scores once more in the backward pass, whatever the policy: that is not counted
  set(FlopConvention::hardware, 3 * (forward.products + attention + forward.mtp) + again);
  return out;
}

}  // namespace ridge
