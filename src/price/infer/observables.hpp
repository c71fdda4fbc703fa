#pragma once
// What a sheet shows of its provider, as functions of what stands behind it. Each is written so that what cancels does
// not stand in it at all: ranges of it would come back as width.

#include <array>
#include <string_view>

#include "price/infer/provider.hpp"

namespace ridge {

enum class Observable {
  input,              // price of input
  output,             // price of output
  output_over_input,  // the same over each other: price of a chip, utilization, margin and size cancel
  long_above,         // where the price break stands
  long_output,        // price of output there, over the usual
  cached,             // price of cached input
  cached_over_input,  // and over fresh input
  fast_speed,         // of the fast mode, over the usual
  kv,                 // KV bytes/token
  total,              // parameters in all
  kv_per_active,      // KV bytes/token over the active parameters
};

/// A fast mode: sequences at once over the usual, 1 / (price x speed), and the speed.
struct FastMode {
  double load = 1, speed = 1;
};

template <class S>
S observe(Observable which, const Provider<S>& p, const FastMode& fast);

/// A provider whose unknowns are made by make(index).
template <class S, class Make>
Provider<S> provider_of(Make&& make) {
  Provider<S> p;
  std::size_t index = 0;
  visit_provider(p, [&]<Dimension D>(const InputInfo&, Quantity<D, S>& field) {
    field = Quantity<D, S>(make(index));
    ++index;
  });
  return p;
}

// What can be read off a sheet without knowing anything else: docs/theory/prices.md.

/// A fast mode that costs `price` times as much and is `speed` times as fast, if only the batch differs.
template <class S>
struct FastReading {
  Ratio<S> batch_ratio;   // usual batch over the fast one: price x speed
  Ratio<S> weight_share;  // of the usual step
  Ratio<S> ceiling;       // speed that no price buys: 1 / weight_share
};
template <class S>
FastReading<S> read_fast(const Ratio<S>& price, const Ratio<S>& speed) {
  const auto one = literal<Ratio<S>>(1.0);
  FastReading<S> out;
  out.batch_ratio = named("B_ratio", price * speed);
  // T = T_w + B t_c: of the time saved, 1 - 1/s, the context's share is (1 - w)(1 - 1/(p s))
  out.weight_share = named("w", one - (one - one / speed) / (one - one / out.batch_ratio));
  out.ceiling = named("ceiling", one / out.weight_share);
  return out;
}

/// KV bytes/token, if the price break stands where KV reads take as long as computing.
template <class S>
BytesPerToken<S> kv_at_balance(const Params<S>& active, const BytesPerParam<S>& width, const Ratio<S>& intensity,
                               const Tokens<S>& balance) {
  return named("kv", active * width / (intensity * balance));
}

/// The longest context served, if lengths above the price break are even and cost grows with length from there: the mean of
/// the multiple is (S* + S_max) / 2 over S*.
template <class S>
Tokens<S> longest_of_step(const Tokens<S>& balance, const Ratio<S>& multiple) {
  return named("S_max", balance * (literal<Ratio<S>>(2.0) * multiple - literal<Ratio<S>>(1.0)));
}

}  // namespace ridge
