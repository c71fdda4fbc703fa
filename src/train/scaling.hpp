#pragma once
// Scaling laws: the loss of a model from its parameters and training tokens, what is compute-optimal, and which models
// are equally good. The constants are catalog entries (catalog/scaling_law); docs/theory/lifecycle.md derives the rest.

#include "base/number/units.hpp"

namespace ridge {

/// FLOP of a token with each parameter: two for the multiply-add of the forward pass, four for the two products of the
/// backward pass.
inline constexpr double kForward = 2.0, kBackward = 4.0;

/// L = E + A/N^alpha + B/D^beta, N in parameters and D in tokens. Source of the form: Hoffmann et al. 2022, approach 3.
template <class S>
struct LossLaw {
  Ratio<S> floor, size_factor, size_power, data_factor, data_power;  // E, A, alpha, B, beta
};

template <class S>
struct TrainedModel {
  Params<S> params;
  Tokens<S> tokens;
};

/// What size alone adds to the irreducible loss: A/N^alpha, the least at this size whatever the tokens.
template <class S>
Ratio<S> size_loss(const LossLaw<S>& law, const Params<S>& params);

/// What size and data add to the irreducible loss: A/N^alpha + B/D^beta.
template <class S>
Ratio<S> reducible_loss(const LossLaw<S>& law, const TrainedModel<S>& model);

/// Least loss for a budget, in closed form: N = G (C/6)^(beta/(alpha+beta)), D = (C/6)^(alpha/(alpha+beta))/G and
/// G = (alpha A/(beta B))^(1/(alpha+beta)).
template <class S>
TrainedModel<S> compute_optimal(const LossLaw<S>& law, const Flops<S>& budget);

/// The least training that reaches a loss: there alpha A/N^alpha = beta B/D^beta.
template <class S>
TrainedModel<S> least_training(const LossLaw<S>& law, const Ratio<S>& reducible);

/// Tokens for which so many parameters are compute-optimal.
template <class S>
Tokens<S> optimal_tokens(const LossLaw<S>& law, const Params<S>& params);

/// Tokens that bring a model of this size to a loss; unbounded where it is too small for any number of them.
template <class S>
Tokens<S> tokens_for_loss(const LossLaw<S>& law, const Ratio<S>& reducible, const Params<S>& params);

/// The smallest model that reaches a loss with tokens without end.
template <class S>
Params<S> smallest_params(const LossLaw<S>& law, const Ratio<S>& reducible);

/// Where a model costs N (D + others), the others being tokens that do not train it (counted by what they cost): the
/// best size and data for a loss, or for a budget. `excess` is x with others = x D: the optimum of two power laws is
/// where p A = q B, and here p = x against q = 1.
template <class S>
struct LifetimeOptimum {
  Ratio<S> excess;
  TrainedModel<S> model;
};

/// Least N (D + others) that reaches a loss.
template <class S>
LifetimeOptimum<S> lifetime_optimum(const LossLaw<S>& law, const Ratio<S>& reducible, const Tokens<S>& others);

/// Least loss with 6 N (D + others) = budget.
template <class S>
LifetimeOptimum<S> lifetime_budget_optimum(const LossLaw<S>& law, const Flops<S>& budget, const Tokens<S>& others);

/// log10 L = a lg N + b lg E' + c lg N lg E' + d, with E' the number of experts saturating from `first` to `most`:
/// 1/E' = 1/(E - 1 + 1/(1/first - 1/most)) + 1/most. N is the dense model that the experts are added to; one expert of E
/// is used. Source: Clark et al. 2022, equation 1 and table 3.
template <class S>
struct ExpertLaw {
  Ratio<S> size, experts, both, constant, first, most;  // a, b, c, d, E_start, E_max
};

template <class S>
Ratio<S> effective_experts(const ExpertLaw<S>& law, const Ratio<S>& experts);
template <class S>
Ratio<S> expert_loss(const ExpertLaw<S>& law, const Params<S>& params, const Ratio<S>& experts);
/// The model without experts that has the same loss ("effective parameter count").
template <class S>
Params<S> dense_equivalent(const ExpertLaw<S>& law, const Params<S>& params, const Ratio<S>& experts);

/// L = c + (g/G^gamma + a)/N^alpha + b/D^beta, G the granularity: how often an expert of the dense network's size is
/// cut. Source: Krajewski et al. 2024, table 1, for 64 times the parameters of the network.
template <class S>
struct GranularLaw {
  LossLaw<S> coarse;  // without the term of the granularity
  Ratio<S> factor, power;
};
template <class S>
LossLaw<S> at_granularity(const GranularLaw<S>& law, const Ratio<S>& granularity);

/// N_eff = N prod(1 - e^(-P/gamma)) over the bits of weights, activations and KV cache in training.
/// Source: Kumar et al. 2024.
template <class S>
struct PrecisionLaw {
  Ratio<S> weights, activations, kv;  // gamma, in bits
};
template <class S>
Params<S> effective_params(const PrecisionLaw<S>& law, const Params<S>& params, const PrecisionLaw<S>& bits);

/// D = k C^p, C in FLOP. Source of the form: Llama 3, section 3.2.1.
template <class S>
struct TokenLaw {
  Ratio<S> factor, power;
};
template <class S>
Tokens<S> tokens_for_compute(const TokenLaw<S>& law, const Flops<S>& compute);

}  // namespace ridge
