#include "train/step/training_flops.hpp"

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

}  // namespace

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

TrainingFlops training_flops(const Model& model, double sequence, const RecomputePolicy& recompute, bool unfused) {
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
  double again = 0;
  if (recompute.all()) {
    again = forward.products - head + attention;
  } else if (recompute.full_layers > 0 && model.layers() > 0) {
    const double share = recompute.full_layers < model.layers() ? recompute.full_layers / model.layers() : 1;
    again = share * (forward.products - head + attention);
  } else if (recompute.core_attention) {
    again = attention;
  }
  // a fused attention computes its scores once more in the backward pass, whatever the policy: that is not counted
  set(FlopConvention::hardware, 3 * (forward.products + attention + forward.mtp) + again);
  return out;
}

}  // namespace ridge
