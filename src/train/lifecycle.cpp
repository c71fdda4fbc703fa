#include "train/lifecycle.ipp"

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/traced.hpp"

namespace ridge {

template LifecycleEstimate<double> estimate_lifecycle(const LifecycleCase<double>&);
template LifecycleEstimate<Dual> estimate_lifecycle(const LifecycleCase<Dual>&);
template LifecycleEstimate<Interval> estimate_lifecycle(const LifecycleCase<Interval>&);
template LifecycleEstimate<BasicDual<Interval>> estimate_lifecycle(const LifecycleCase<BasicDual<Interval>>&);
template LifecycleEstimate<Traced> estimate_lifecycle(const LifecycleCase<Traced>&);
template Dollars<double> cost_at_size(const LifecycleCase<double>&, const Params<double>&);

}  // namespace ridge
