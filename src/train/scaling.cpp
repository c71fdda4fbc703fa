#include "train/scaling.ipp"

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/traced.hpp"

namespace ridge {

#define RIDGE_SCALING(S)                                                                                     \
  template Ratio<S> size_loss(const LossLaw<S>&, const Params<S>&);                                          \
  template Ratio<S> reducible_loss(const LossLaw<S>&, const TrainedModel<S>&);                               \
  template TrainedModel<S> compute_optimal(const LossLaw<S>&, const Flops<S>&);                              \
  template TrainedModel<S> least_training(const LossLaw<S>&, const Ratio<S>&);                               \
  template Tokens<S> optimal_tokens(const LossLaw<S>&, const Params<S>&);                                    \
  template Tokens<S> tokens_for_loss(const LossLaw<S>&, const Ratio<S>&, const Params<S>&);                  \
  template Params<S> smallest_params(const LossLaw<S>&, const Ratio<S>&);                                    \
  template LifetimeOptimum<S> lifetime_optimum(const LossLaw<S>&, const Ratio<S>&, const Tokens<S>&);        \
  template LifetimeOptimum<S> lifetime_budget_optimum(const LossLaw<S>&, const Flops<S>&, const Tokens<S>&); \
  template Ratio<S> effective_experts(const ExpertLaw<S>&, const Ratio<S>&);                                 \
  template Ratio<S> expert_loss(const ExpertLaw<S>&, const Params<S>&, const Ratio<S>&);                     \
  template Params<S> dense_equivalent(const ExpertLaw<S>&, const Params<S>&, const Ratio<S>&);               \
  template LossLaw<S> at_granularity(const GranularLaw<S>&, const Ratio<S>&);                                \
  template Params<S> effective_params(const PrecisionLaw<S>&, const Params<S>&, const PrecisionLaw<S>&);     \
  template Tokens<S> tokens_for_compute(const TokenLaw<S>&, const Flops<S>&);

RIDGE_SCALING(double)
RIDGE_SCALING(Dual)
RIDGE_SCALING(Interval)
RIDGE_SCALING(BasicDual<Interval>)
RIDGE_SCALING(Traced)

#undef RIDGE_SCALING

}  // namespace ridge
