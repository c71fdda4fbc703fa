#pragma once
// The equations of observables.hpp; include only from files that instantiate them.

#include "price/observables.hpp"

#include "price/sheet_terms.ipp"

namespace ridge {

namespace provider {

/// The provider with what only scales all prices alike set to one.
template <class S>
Provider<S> unscaled(Provider<S> p) {
  p.active = literal<Params<S>>(1.0);
  p.flop = literal<DollarsPerFlop<S>>(1.0);
  p.utilisation = literal<Ratio<S>>(1.0);
  p.over_cost = literal<Ratio<S>>(1.0);
  return p;
}

/// Weights that a step with so many sequences reads, over those of one token; decode's own equation in the units of a
/// provider.
template <class S>
Ratio<S> weights_read(const Provider<S>& p, const Ratio<S>& batch) {
  const auto one = literal<Ratio<S>>(1.0);
  return p.sparsity * (one - pow(one - one / p.sparsity, batch));
}

/// At the usual load and at the fast mode's.
template <class S>
struct Loads {
  Ratio<S> usual, fast;
};
template <class S>
Loads<S> weights_at(const Provider<S>& p, const FastMode& fast) {
  return {weights_read(p, p.batch), weights_read(p, p.batch * fast.load)};
}

/// Time to read the weights for one sequence, over that to compute with its active ones.
template <class S>
Ratio<S> weights_time(const Provider<S>& p, const Ratio<S>& weights) {
  return p.intensity * p.evenness * (weights / p.batch);
}

/// Context over S* that makes the fast mode as fast as it is. With times of a sequence over its compute, weights w and
/// w_f, context c = S / S*: reading binds, s = (w + c) / (w_f + y c) with w_f of the whole step; compute binds at the
/// usual load, s = 1 / (w_f + y c).
template <class S>
Ratio<S> context_of_speed(const Provider<S>& p, const FastMode& fast, bool memory_binds) {
  const Loads<S> weights = weights_at(p, fast);
  if (memory_binds) return weights_time(p, fast.speed * weights.fast - weights.usual) / (1.0 - fast.speed * fast.load);
  return (literal<Ratio<S>>(1.0 / fast.speed) - weights_time(p, weights.fast)) / fast.load;
}

template <class S>
Ratio<S> fast_misfit(const Provider<S>& p, const FastMode& fast, bool memory_binds) {
  return context_of_speed(p, fast, memory_binds) * p.balanced / p.context;
}

template <class S>
Ratio<S> reads_longer(const Provider<S>& p) {
  return weights_time(p, weights_read(p, p.batch)) + p.context / p.balanced;
}

}  // namespace provider

template <class S>
S observe(Observable which, const Provider<S>& p, const FastMode& fast) {
  using enum Observable;
  const auto input_of = [](const Provider<S>& q) {
    const SheetCase<S> c = sheet_case(q);
    return c.over_cost * sheet::input_cost(c);
  };
  const auto output_of = [](const Provider<S>& q) {
    const SheetCase<S> c = sheet_case(q);
    return c.over_cost * sheet::output_cost(c);
  };
  const auto cached_of = [](const Provider<S>& q) {
    const SheetCase<S> c = sheet_case(q);
    return c.over_cost * sheet::cached_cost(c);
  };
  const auto alike = [&] { return provider::unscaled(p); };
  switch (which) {
    case input:
      return input_of(p).value();
    case output:
      return output_of(p).value();
    case output_over_input:
      return (output_of(alike()) / input_of(alike())).value();
    case balance: {
      Provider<S> any = alike();
      any.share_decode = any.evenness = literal<Ratio<S>>(1.0);  // of both sides
      return sheet::balance_context(sheet_case(any)).value();
    }
    case cached:
      return cached_of(p).value();
    case cached_over_input:
      return (cached_of(alike()) / input_of(alike())).value();
    case fast_memory:
      return provider::fast_misfit(p, fast, true).value();
    case fast_compute:
      return provider::fast_misfit(p, fast, false).value();
    case reads_longer:
      return provider::reads_longer(p).value();
    case kv:
      return kv_at_balance(p.active, p.width, p.intensity * p.evenness, p.balanced).value();
    case total:
      return (p.active * p.sparsity).value();
    case kv_per_active:
      return (p.width / (p.intensity * p.evenness * p.balanced)).value();
  }
  return S(0.0);
}

template <class S>
FastContext<S> context_of_fast(const Provider<S>& p, const FastMode& fast, bool memory_binds) {
  const Ratio<S> read = provider::context_of_speed(p, fast, memory_binds);
  const provider::Loads<S> weights = provider::weights_at(p, fast);
  const Ratio<S> of_fast = fast.load * read / (provider::weights_time(p, weights.fast) + fast.load * read);
  const Ratio<S> of_usual = read / (provider::weights_time(p, weights.usual) + read);
  return {.context = read * p.balanced,
          .elasticity = memory_binds ? of_usual - of_fast : literal<Ratio<S>>(0.0) - of_fast};
}

}  // namespace ridge
