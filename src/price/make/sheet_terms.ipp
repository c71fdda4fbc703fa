#pragma once
// The equations of a price sheet; include only from files that instantiate them.

#include "price/make/sheet_terms.hpp"

#include "price/make/prefill_work.hpp"
#include "roofline/decode.ipp"

namespace ridge {

namespace sheet {

/// The decode case with the rates that decoding reaches instead of the peaks.
template <class S>
DecodeCase<S> derated(const SheetCase<S>& c) {
  DecodeCase<S> d = c.decode;
  d.matmul_weights = c.decode.matmul_weights * c.share_decode;
  d.matmul_experts = c.decode.matmul_experts * c.share_decode;
  d.matmul_attention = c.decode.matmul_attention * c.share_decode;
  d.hbm_bandwidth = c.decode.hbm_bandwidth * c.share_decode;
  return d;
}

/// What a chip-second earns or costs for one token.
template <class S>
auto chip_second(const SheetCase<S>& c) {
  return named("p_u", c.decode.price / (c.decode.utilization * literal<Tokens<S>>(1.0)));
}

template <class S>
Seconds<S> prefill_compute(const SheetCase<S>& c) {
  return prefill_work(c.decode, c.prefill_attention) * literal<Tokens<S>>(1.0);
}

template <class S>
Seconds<S> prompt_write(const SheetCase<S>& c) {
  return c.decode.kv_stored * literal<Tokens<S>>(1.0) / c.decode.hbm_bandwidth;
}

template <class S>
DollarsPerToken<S> input_cost(const SheetCase<S>& c) {
  return named("cost_in", chip_second(c) * (prefill_compute(c) / c.mfu_prefill + prompt_write(c)));
}

/// The step and its rates, without the crossings and the capacity that a price does not ask about.
template <class S>
DecodeEstimate<S> decoded(const DecodeCase<S>& d) {
  const decode::PerSequence<S> sequence = decode::per_sequence(d);
  DecodeEstimate<S> e;
  decode::times(d, sequence, e);
  decode::rates(d, sequence, e);
  return e;
}

template <class S>
DollarsPerToken<S> output_cost(const SheetCase<S>& c) {
  return decoded(derated(c)).cost;
}

template <class S>
Seconds<S> fetch_time(const SheetCase<S>& c) {
  return c.decode.kv_stored * literal<Tokens<S>>(1.0) / c.fetch;
}
template <class S>
Seconds<S> first_time(const SheetCase<S>& c) {
  return c.decode.kv_read * literal<Tokens<S>>(1.0) / (c.decode.hbm_bandwidth * c.share_decode);
}
template <class S>
DollarsPerToken<S> cached_cost(const SheetCase<S>& c) {
  return named("cost_hit", chip_second(c) * (fetch_time(c) + first_time(c)));
}

/// The context at which reading it takes as long as computing with the weights.
template <class S>
Tokens<S> balance_context(const SheetCase<S>& c) {
  const DecodeCase<S>& d = c.decode;
  return divide_or_unbounded(decode::per_sequence(d).weights_compute * d.hbm_bandwidth, d.kv_read);
}

}  // namespace sheet

template <class S>
SheetEstimate<S> estimate_sheet(const SheetCase<S>& c) {
  const auto token = literal<Tokens<S>>(1.0);
  const auto one = literal<Ratio<S>>(1.0);
  const DecodeEstimate<S> decoded = sheet::decoded(sheet::derated(c));
  SheetEstimate<S> e;
  e.input_compute = named("t_prompt", sheet::prefill_compute(c) / c.mfu_prefill);
  e.input_write = named("t_write", sheet::prompt_write(c));
  e.input_time = named("t_in", e.input_compute + e.input_write);
  e.output_time = named("t_out", token / decoded.chip_rate);
  e.fetch_time = named("t_fetch", sheet::fetch_time(c));
  e.first_time = named("t_first", sheet::first_time(c));
  e.input_cost = sheet::input_cost(c);
  e.output_cost = decoded.cost;
  e.cached_cost = sheet::cached_cost(c);
  e.input = named("input", c.markup * e.input_cost);
  e.output = named("output", c.markup * e.output_cost);
  e.cached = named("cached", c.markup * e.cached_cost);
  const auto second = sheet::chip_second(c);
  e.tariff.premium = named("premium", c.markup * (second * (c.decode.kv_stored * token / c.write)));
  e.tariff.hold = named("hold", c.markup * (c.decode.kv_stored * c.hold));
  e.output_over_input = named("out_over_in", e.output_cost / e.input_cost);
  e.cached_over_input = named("hit_over_in", e.cached_cost / e.input_cost);
  e.fast_input = named("fast_input", c.fast_input * e.input);
  e.fast_output = named("fast_output", c.fast_output * e.output);
  e.batch_idle = named("batch_idle", c.decode.utilization / c.batch_utilization);
  e.batch_input = named("batch_input", e.batch_idle * c.batch_input * e.input);
  e.batch_output = named("batch_output", e.batch_idle * c.batch_output * e.output);
  e.slow_saving = named("slow_bound", one - c.share_decode * (one - decoded.slow_saving));
  e.balance_context = named("S_balance", sheet::balance_context(c));
  return e;
}

}  // namespace ridge
