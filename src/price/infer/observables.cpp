#include "price/infer/observables.ipp"

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"

namespace ridge {

template double observe(Observable, const Provider<double>&, const FastMode&);
template Interval observe(Observable, const Provider<Interval>&, const FastMode&);
template BasicDual<Interval> observe(Observable, const Provider<BasicDual<Interval>>&, const FastMode&);

}  // namespace ridge
