#pragma once
// What stands behind a price sheet, as few numbers as its equations need: a model of one kind of layer, a machine by
// its ratio of compute to bandwidth and by what a FLOP costs, a load, and how well they are used. `ridge infer` asks
// what a sheet says of them. docs/theory/prices.md says why these and no others.

#include <array>
#include <cstddef>

#include "price/make/sheet_terms.hpp"

namespace ridge {

template <class S>
using DollarsPerFlop = Quantity<kDollar / kFlop, S>;

template <class S>
struct Provider {
  Params<S> active;
  Ratio<S> sparsity;       // total over active parameters
  Tokens<S> balanced;      // context that takes as long to read as the active weights take to compute with
  BytesPerParam<S> width;  // only turns that into KV bytes: no price depends on it
  Ratio<S> intensity;      // C b_w / (2 W): tokens at which a chip's compute and the reading of its weights balance
  DollarsPerFlop<S> flop;  // price of a chip-second over its peak
  Ratio<S> utilization, markup;
  Ratio<S> mfu_prefill, share_decode;  // MFU of prefill; share of the roofline that decode reaches
  Ratio<S> batch;
  Tokens<S> context;
  Ratio<S> fetch;      // bandwidth of the cache's tier over that of the memory
  Ratio<S> long_step;  // where the price break stands, over the balance context
  Ratio<S> long_over;  // what output costs above it, over that at its beginning
  Ratio<S> fast_even;  // share of the roofline in fast mode, over standard
};

/// Calls visit(InputInfo, field) for every unknown, always in the same order.
template <class Any, class Visit>
constexpr void visit_provider(Any& p, Visit&& visit) {
  using enum Domain;
  visit(InputInfo{"active", "Na", "active parameters", positive}, p.active);
  visit(InputInfo{"sparsity", "x", "total over active parameters", at_least_one}, p.sparsity);
  visit(InputInfo{"balance_context", "S*", "context whose KV read time equals the weights' compute", positive},
        p.balanced);
  visit(InputInfo{"width", "b_w", "bytes of a weight", positive}, p.width);
  visit(InputInfo{"intensity", "I", "C b_w / (2 W): ridge of the chip in tokens", positive}, p.intensity);
  visit(InputInfo{"flop_price", "phi", "price of a chip over its peak", positive}, p.flop);
  visit(InputInfo{"utilization", "u", "share of paid time in use", share}, p.utilization);
  visit(InputInfo{"markup", "k_p", "price over cost", positive}, p.markup);
  visit(InputInfo{"mfu.prefill", "e_p", "MFU of prefill", share}, p.mfu_prefill);
  visit(InputInfo{"efficiency.decode", "e_d", "share of the roofline that decode reaches", positive}, p.share_decode);
  visit(InputInfo{"batch", "B", "sequences decoding at once", at_least_one}, p.batch);
  visit(InputInfo{"context", "S", "mean context of a sequence, in tokens", positive}, p.context);
  visit(InputInfo{"fetch", "f", "bandwidth of the cache tier over HBM's", positive}, p.fetch);
  visit(InputInfo{"price_break", "z", "where the price break lies, over the balance context", positive}, p.long_step);
  visit(InputInfo{"long_context_cost", "y", "cost of output above the price break, over that at it", positive},
        p.long_over);
  visit(InputInfo{"fast_efficiency", "v", "efficiency.decode of fast mode, over standard", positive}, p.fast_even);
}

enum ProviderIndex : std::size_t {
  kActive,
  kSparsity,
  kBalanceContext,
  kWidth,
  kIntensity,
  kFlopPrice,
  kUtilization,
  kOverCost,
  kMfuPrefill,
  kDecode,
  kBatch,
  kContext,
  kFetch,
  kLongStep,
  kLongOver,
  kFastEven,
  kUnknowns
};

template <>
struct FieldList<Provider> {
  using Info = InputInfo;
  static constexpr std::size_t kCount = kUnknowns;
  static constexpr void visit(auto& p, auto&& f) { visit_provider(p, f); }
};

/// The sheet's case of a provider. Peak, number of chips and what a byte is cancel, and attention's own compute is left
/// out. Bytes are counted in those that a chip reads while it computes with one parameter, so that the ridge stands
/// with the weights alone. What computes and what is read are kept apart, so that the sparsity does not stand above
/// and below a line: "dense" weights that compute and take no bytes, and experts, of which a token uses one in
/// `sparsity`, that are read and compute in no time.
template <class S>
SheetCase<S> sheet_case(const Provider<S>& p) {
  SheetCase<S> c;
  DecodeCase<S>& d = c.decode;
  const auto one = literal<Ratio<S>>(1.0);
  const auto byte = literal<BytesPerParam<S>>(1.0);
  const auto peak = literal<FlopsPerSecond<S>>(1e15);
  d.chips = one;
  d.matmul_weights = d.matmul_attention = peak;
  d.matmul_experts = literal<FlopsPerSecond<S>>(1e300);
  d.hbm_bandwidth = peak * byte / literal<FlopsPerParam<S>>(2.0);
  d.hbm_capacity = literal<Bytes<S>>(1e30);
  d.price = p.flop * peak;
  d.utilization = p.utilization;
  d.params_dense = p.active;
  d.params_lookup = literal<Params<S>>(0.0);
  d.params_routed = p.active * p.sparsity;
  d.experts = p.sparsity;
  d.experts_per_token = one;
  d.width_weights = literal<BytesPerParam<S>>(0.0);
  d.width_experts = d.width_lookup = p.intensity * byte;
  d.kv_stored = d.kv_read = p.active * byte / p.balanced;
  d.attention_flops = literal<FlopsPerToken<S>>(0.0);
  d.batch = p.batch;
  d.context = p.context;
  c.mfu_prefill = p.mfu_prefill;
  c.share_decode = p.share_decode;
  c.markup = p.markup;
  c.prefill_attention = d.attention_flops;
  c.fetch = d.hbm_bandwidth * p.fetch;
  c.write = c.fetch;
  c.hold = literal<DollarsPerByteSecond<S>>(0.0);
  c.fast_input = c.fast_output = c.batch_input = c.batch_output = c.batch_utilization = one;
  return c;
}

}  // namespace ridge
