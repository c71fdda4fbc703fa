#pragma once
// The equations of observables.hpp; include only from files that instantiate them.

#include "price/infer/observables.hpp"

#include "layout/routing.hpp"
#include "price/make/sheet_terms.ipp"

namespace ridge {

namespace provider {

/// The provider with what only scales all prices alike set to one.
template <class S>
Provider<S> unscaled(Provider<S> p) {
  p.active = literal<Params<S>>(1.0);
  p.flop = literal<DollarsPerFlop<S>>(1.0);
  p.utilization = literal<Ratio<S>>(1.0);
  p.markup = literal<Ratio<S>>(1.0);
  return p;
}

/// Time of a decode step for one of so many sequences, over that to compute with its active weights: decode's own
/// equations in the units of a provider. Of all weights, x times the active ones, the batch reads those it touches.
template <class S>
Ratio<S> weights_time(const Provider<S>& p, const Ratio<S>& batch) {
  return p.intensity * (p.sparsity * coverage(literal<Ratio<S>>(1.0) / p.sparsity, batch) / batch);
}
template <class S>
Ratio<S> sequence_time(const Ratio<S>& weights, const Ratio<S>& context) {
  return max(literal<Ratio<S>>(1.0), weights + context);
}
template <class S>
Ratio<S> context_time(const Provider<S>& p) {
  return p.context / p.balanced;
}

/// Output's cost above the long tier's beginning over the usual. There as many sequences decode with a context of that
/// length; that requests are longer still, and that fewer fit, is in `long_over`.
template <class S>
Ratio<S> long_output(const Provider<S>& p) {
  const Ratio<S> weights = weights_time(p, p.batch);
  return p.long_over * sequence_time(weights, p.long_step) / sequence_time(weights, context_time(p));
}

/// Step with the usual load over the one with the fast mode's.
template <class S>
Ratio<S> fast_speed(const Provider<S>& p, const FastMode& fast) {
  const auto one = literal<Ratio<S>>(1.0), most = literal<Ratio<S>>(1 / fast.load);
  const Ratio<S> usual = sequence_time(weights_time(p, p.batch), context_time(p));
  const Ratio<S> few = sequence_time(weights_time(p, p.batch * fast.load), context_time(p));
  // fewer sequences share the weights: at least as fast, at most by as much as they are fewer; min and max tell
  // intervals so
  return p.fast_even * min(most, max(one, most * (usual / few)));
}

}  // namespace provider

template <class S>
S observe(Observable which, const Provider<S>& p, const FastMode& fast) {
  using enum Observable;
  const auto input_of = [](const Provider<S>& q) {
    const SheetCase<S> c = sheet_case(q);
    return c.markup * sheet::input_cost(c);
  };
  const auto output_of = [](const Provider<S>& q) {
    const SheetCase<S> c = sheet_case(q);
    return c.markup * sheet::output_cost(c);
  };
  const auto cached_of = [](const Provider<S>& q) {
    const SheetCase<S> c = sheet_case(q);
    return c.markup * sheet::cached_cost(c);
  };
  const auto alike = [&] { return provider::unscaled(p); };
  switch (which) {
    case input:
      return input_of(p).value();
    case output:
      return output_of(p).value();
    case output_over_input:
      return (output_of(alike()) / input_of(alike())).value();
    case long_above:
      return (p.long_step * p.balanced).value();
    case long_output:
      return provider::long_output(p).value();
    case cached:
      return cached_of(p).value();
    case cached_over_input:
      return (cached_of(alike()) / input_of(alike())).value();
    case fast_speed:
      return provider::fast_speed(p, fast).value();
    case kv:
      return kv_at_balance(p.active, p.width, p.intensity, p.balanced).value();
    case total:
      return (p.active * p.sparsity).value();
    case kv_per_active:
      return (p.width / (p.intensity * p.balanced)).value();
  }
  return S(0.0);
}

}  // namespace ridge
