#pragma once
// The equations of a price sheet; include only from files that instantiate them.

#include "price/sheet_terms.hpp"

#include "serve/decode.ipp"

namespace ridge {

namespace sheet {

/// The decode case with the rates that decoding reaches instead of the peaks.
template <class S>
DecodeCase<S> derated(const SheetCase<S>& c) {
  DecodeCase<S> d = c.decode;
  d.matmul_weights = c.decode.matmul_weights * c.share_compute;
  d.matmul_experts = c.decode.matmul_experts * c.share_compute;
  d.matmul_attention = c.decode.matmul_attention * c.share_compute;
  d.hbm_bandwidth = c.decode.hbm_bandwidth * c.share_memory;
  return d;
}

/// What a chip-second earns or costs for one token.
template <class S>
auto chip_second(const SheetCase<S>& c) {
  return named("p_u", c.decode.price / (c.decode.utilisation * literal<Tokens<S>>(1.0)));
}

/// A token of a prompt attends to half of it on average.
template <class S>
Seconds<S> prompt_compute(const SheetCase<S>& c) {
  DecodeCase<S> half = c.decode;
  half.context = c.prompt * 0.5;
  half.attention_flops = c.prompt_attention;
  return decode::per_sequence(half).compute;
}

template <class S>
Seconds<S> prompt_write(const SheetCase<S>& c) {
  return c.decode.kv_stored * literal<Tokens<S>>(1.0) / c.decode.hbm_bandwidth;
}

template <class S>
DollarsPerToken<S> input_cost(const SheetCase<S>& c) {
  return named("cost_in", chip_second(c) * (prompt_compute(c) / c.mfu_prefill + prompt_write(c)));
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

/// Chip time of an output token: step_time n / B, as decode's rates have it.
template <class S>
Seconds<S> output_time(const DecodeCase<S>& d) {
  return literal<Tokens<S>>(1.0) / decoded(d).chip_rate;
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
  return c.decode.kv_read * literal<Tokens<S>>(1.0) / (c.decode.hbm_bandwidth * c.share_memory);
}
template <class S>
DollarsPerToken<S> cached_cost(const SheetCase<S>& c) {
  return named("cost_hit", chip_second(c) * (fetch_time(c) + first_time(c)));
}

/// The context at which reading it takes as long as computing with the weights: where a step in the price would stand.
template <class S>
Tokens<S> balance_context(const SheetCase<S>& c) {
  const DecodeCase<S> d = derated(c);
  return divide_or_unbounded(decode::per_sequence(d).weights_compute * d.hbm_bandwidth, d.kv_read);
}

/// The case at another number of sequences at once.
template <class S>
DecodeCase<S> at_load(DecodeCase<S> d, const Ratio<S>& load) {
  d.batch = d.batch * load;
  return d;
}

/// Speed of a user at another load, over the usual: T(B) / T(y B), and T = chip time x B / n.
template <class S>
Ratio<S> speed_at(const DecodeCase<S>& d, const Ratio<S>& load) {
  return output_time(d) / (output_time(at_load(d, load)) * load);
}

}  // namespace sheet

template <class S>
SheetEstimate<S> estimate_sheet(const SheetCase<S>& c) {
  const auto token = literal<Tokens<S>>(1.0);
  const DecodeCase<S> usual = sheet::derated(c);
  const DecodeEstimate<S> decoded = decode::all_of_it(usual);
  SheetEstimate<S> e;
  e.input_compute = named("t_prompt", sheet::prompt_compute(c) / c.mfu_prefill);
  e.input_write = named("t_write", sheet::prompt_write(c));
  e.input_time = named("t_in", e.input_compute + e.input_write);
  e.output_time = named("t_out", token / decoded.chip_rate);
  e.fetch_time = named("t_fetch", sheet::fetch_time(c));
  e.first_time = named("t_first", sheet::first_time(c));
  e.input_cost = sheet::input_cost(c);
  e.output_cost = decoded.cost;
  e.cached_cost = sheet::cached_cost(c);
  e.input = named("input", c.over_cost * e.input_cost);
  e.output = named("output", c.over_cost * e.output_cost);
  e.cached = named("cached", c.over_cost * e.cached_cost);
  const auto second = sheet::chip_second(c);
  e.tariff.premium = named("premium", c.over_cost * (second * (c.decode.kv_stored * token / c.write)));
  e.tariff.hold = named("hold", c.over_cost * (c.decode.kv_stored * c.hold));
  e.output_over_input = named("out_over_in", e.output_cost / e.input_cost);
  e.cached_over_input = named("hit_over_in", e.cached_cost / e.input_cost);
  e.step = decoded.step_time;
  e.user_rate = decoded.user_rate;
  e.weight_share = named("w", decoded.weights_time / decoded.step_time);
  const DecodeCase<S> fast = sheet::at_load(usual, c.fast_load), batch = sheet::at_load(usual, c.batch_load);
  e.fast_price = named("fast_price", sheet::output_time(fast) / sheet::output_time(usual));
  e.fast_speed = named("fast_speed", sheet::speed_at(usual, c.fast_load));
  e.fast_ceiling = decoded.fast_ceiling;
  e.fast_output = named("fast_output", e.fast_price * e.output);
  e.batch_larger = named("batch_larger", sheet::output_time(batch) / sheet::output_time(usual));
  e.batch_idle = named("batch_idle", c.decode.utilisation / c.batch_utilisation);
  e.batch_input = named("batch_input", e.batch_idle * e.input);
  e.batch_output = named("batch_output", e.batch_idle * e.batch_larger * e.output);
  e.slow_saving = decoded.slow_saving;
  e.balance_context = named("S_balance", sheet::balance_context(c));
  return e;
}

template <class S>
LengthCost<S> cost_at_length(const SheetCase<S>& c, const Tokens<S>& length) {
  SheetCase<S> at = c;
  at.decode.context = length;
  at.prompt = length;
  const auto one = literal<Ratio<S>>(1.0);
  at.decode.batch = max(one, min(at.decode.batch, decode::all_of_it(at.decode).batch_limit));
  return {.input = sheet::input_cost(at), .output = sheet::output_cost(at)};
}

}  // namespace ridge
