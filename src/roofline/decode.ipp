#pragma once
// The equations themselves; include only from files that instantiate them (decode.cpp, search/lanes/decode_lanes.cpp).

#include "roofline/decode.hpp"

#include "layout/routing.hpp"
#include "roofline/weights_compute.hpp"

namespace ridge {

namespace decode {

/// What one sequence costs a step, in chip-seconds, whatever the batch; and the weights there are to read.
template <class S>
struct PerSequence {
  Seconds<S> dense, experts, attention, context;
  Seconds<S> weights_compute, compute;  // dense + experts, and all three
  Bytes<S> every_weight, one_choice;    // all experts, and those that one sequence needs
  Bytes<S> read, stored;                // of its context
};

/// A cost of context: so much for each token, for each token of the window, for each selected token, for each square
/// root of a token, and a fixed part. Bytes or FLOP.
template <class PerToken, class Fixed>
struct ContextCost {
  PerToken linear, window, selected, root;
  Fixed fixed;
};

template <class S, class PerToken, class Fixed>
Fixed cost_of_context(const DecodeCase<S>& c, const ContextCost<PerToken, Fixed>& cost) {
  const auto token = literal<Tokens<S>>(1.0);
  Fixed sum = cost.linear * c.context;
  if (c.has.window) sum = sum + cost.window * min(c.context, c.window);
  if (c.has.selected) sum = sum + cost.selected * min(c.context, c.selected);
  if (c.has.root) sum = sum + cost.root * (token * sqrt(c.context / token));
  if (c.has.state) sum = sum + cost.fixed;
  return sum;
}

template <class S>
ContextCost<BytesPerToken<S>, Bytes<S>> read_cost(const DecodeCase<S>& c) {
  return {c.kv_read, c.window_read, c.selected_read, c.root_read, c.state_read};
}
template <class S>
ContextCost<BytesPerToken<S>, Bytes<S>> stored_cost(const DecodeCase<S>& c) {
  return {c.kv_stored, c.window_stored, literal<BytesPerToken<S>>(0.0), literal<BytesPerToken<S>>(0.0), c.state_stored};
}
template <class S>
ContextCost<FlopsPerToken<S>, Flops<S>> attention_cost(const DecodeCase<S>& c) {
  return {c.attention_flops, c.window_flops, c.selected_flops, c.root_flops, c.state_flops};
}

/// The context that costs `budget`. The cost is the least of the lines that have the window and the selection still
/// growing or already full, so the context is the greatest of theirs; a term that falls (reads less what is computed
/// meanwhile) counts as full. With a root, x = sqrt(S) solves slope x^2 + root x = rest.
template <class S>
Tokens<S> context_costing(const DecodeCase<S>& c, const ContextCost<BytesPerToken<S>, Bytes<S>>& cost,
                          const Bytes<S>& budget, bool has_root) {
  const auto none = literal<BytesPerToken<S>>(0.0);
  const auto token = literal<Tokens<S>>(1.0);
  const auto line = [&](const BytesPerToken<S>& slope, const Bytes<S>& rest) -> Tokens<S> {
    const BytesPerToken<S> rising = max(none, slope);  // a line that falls is never crossed
    if (!has_root) return divide_or_unbounded(rest, rising);
    const auto byte = literal<Bytes<S>>(1.0);
    const Bytes<S> left = max(literal<Bytes<S>>(0.0), rest);
    const Bytes<S> bend = cost.root * token, steepness = rising * token;
    const Ratio<S> discriminant = sqrt((bend * bend + literal<Ratio<S>>(4.0) * steepness * left) / (byte * byte));
    const Ratio<S> root = divide_or_unbounded(literal<Ratio<S>>(2.0) * left, bend + byte * discriminant);
    return token * (root * root);
  };
  const auto with_selection = [&](const BytesPerToken<S>& slope, const Bytes<S>& rest) -> Tokens<S> {
    if (!c.has.selected) return line(slope, rest);
    const Bytes<S> falls = min(none, cost.selected) * c.selected;
    return max(line(slope + max(none, cost.selected), rest - falls), line(slope, rest - cost.selected * c.selected));
  };
  const Bytes<S> rest = c.has.state ? budget - cost.fixed : budget;
  if (!c.has.window) return with_selection(cost.linear, rest);
  const Bytes<S> falls = min(none, cost.window) * c.window;
  return max(with_selection(cost.linear + max(none, cost.window), rest - falls),
             with_selection(cost.linear, rest - cost.window * c.window));
}

/// Weight bytes a step reads when `share` of the routed experts is needed.
template <class S>
Bytes<S> weight_bytes(const DecodeCase<S>& c, const Ratio<S>& share) {
  return c.params_dense * c.width_weights + c.params_routed * c.width_experts * share;
}

template <class S>
PerSequence<S> per_sequence(const DecodeCase<S>& c) {
  const auto with_weights = weights_compute(c, literal<FlopsPerParam<S>>(2.0));
  PerSequence<S> sequence;
  sequence.dense = with_weights.dense;
  sequence.experts = with_weights.experts;
  if (c.has.any()) {
    sequence.read = named("read", cost_of_context(c, read_cost(c)));
    sequence.stored = named("stored", cost_of_context(c, stored_cost(c)));
    sequence.attention = named("c_attention", cost_of_context(c, attention_cost(c)) / c.matmul_attention);
  } else {
    sequence.read = c.kv_read * c.context;
    sequence.stored = c.kv_stored * c.context;
    sequence.attention = named("c_attention", c.attention_flops * c.context / c.matmul_attention);
  }
  sequence.context = named("m_context", sequence.read / c.hbm_bandwidth);
  sequence.weights_compute = named("c_weights", sequence.dense + sequence.experts);
  sequence.compute = named("c", sequence.dense + sequence.experts + sequence.attention);
  sequence.every_weight = named("weights_all", weight_bytes(c, literal<Ratio<S>>(1.0)));
  sequence.one_choice = named("weights_one", weight_bytes(c, c.chosen_share()));
  return sequence;
}

/// What a step reads and computes, and how long that takes.
template <class S>
void times(const DecodeCase<S>& c, const PerSequence<S>& sequence, DecodeEstimate<S>& e) {
  const Ratio<S> sequences_per_chip = c.batch / c.chips;
  e.touched = named("experts_touched", coverage(c.chosen_share(), c.batch));
  e.weights_read = named("weights_read", weight_bytes(c, e.touched));
  e.context_read = named("kv_read", c.batch * sequence.read);
  e.weights_time = named("t_weights", e.weights_read / (c.chips * c.hbm_bandwidth));
  e.context_time = named("t_kv", sequences_per_chip * sequence.context);
  e.dense_time = named("t_dense", sequences_per_chip * sequence.dense);
  e.experts_time = named("t_experts", sequences_per_chip * sequence.experts);
  e.attention_time = named("t_attention", sequences_per_chip * sequence.attention);
  e.memory_time = named("t_memory", e.weights_time + e.context_time);
  e.compute_time = named("t_compute", e.dense_time + e.experts_time + e.attention_time);
  e.step_time = named("t_step", max(e.compute_time, e.memory_time));
  e.step_context_apart = named("t_serial", e.context_time + max(e.compute_time, e.weights_time));
  e.step_no_overlap = named("t_sum", e.compute_time + e.memory_time);
  e.longest_wait = named("longest_wait", literal<Ratio<S>>(2.0) * e.step_time);
}

/// Floors, and the batch and context at which compute and memory are equal: written with the bandwidth multiplied
/// through, so that each input stands once.
template <class S>
void crossings(const DecodeCase<S>& c, const PerSequence<S>& sequence, DecodeEstimate<S>& e) {
  const BytesPerSecond<S> bandwidth = c.chips * c.hbm_bandwidth;
  e.floor_all = named("floor_all", sequence.every_weight / bandwidth);
  e.floor_one = named("floor_one", sequence.one_choice / bandwidth);
  e.sweep_time = named("sweep", c.hbm_capacity / c.hbm_bandwidth);
  e.step_strict = named("t_best_routing", max(e.compute_time, e.floor_one + e.context_time));
  e.ridge_weights = named("ridge_weights", sequence.every_weight / (sequence.weights_compute * c.hbm_bandwidth));
  e.ridge =
      named("ridge", divide_or_unbounded(sequence.every_weight, sequence.compute * c.hbm_bandwidth - sequence.read));
  const auto balanced = named("balanced_bytes", sequence.weights_compute * c.hbm_bandwidth);
  const auto meanwhile = [&](const auto& work) { return work * c.hbm_bandwidth / c.matmul_attention; };
  if (c.has.any()) {
    const auto cost = read_cost(c);
    const auto work = attention_cost(c);
    const ContextCost<BytesPerToken<S>, Bytes<S>> net = {
        cost.linear - meanwhile(work.linear), cost.window - meanwhile(work.window),
        cost.selected - meanwhile(work.selected), cost.root - meanwhile(work.root), cost.fixed - meanwhile(work.fixed)};
    // a state alone may take longer to read than everything takes to compute: then no context is needed
    const auto at_least = [&](const Bytes<S>& fixed) { return c.has.state ? max(balanced, fixed) : balanced; };
    e.balance_context = named("balance_context", context_costing(c, cost, at_least(cost.fixed), c.has.root));
    e.balance_context_full = named("balance_context_full", context_costing(c, net, at_least(net.fixed), c.has.root));
    return;
  }
  e.balance_context = named("balance_context", divide_or_unbounded(balanced, c.kv_read));
  e.balance_context_full =
      named("balance_context_full", divide_or_unbounded(balanced, c.kv_read - meanwhile(c.attention_flops)));
}

template <class S>
void capacity(const DecodeCase<S>& c, const PerSequence<S>& sequence, DecodeEstimate<S>& e) {
  e.weights_stored = named("weights_stored", sequence.every_weight + c.params_lookup * c.width_lookup);
  e.context_stored = named("kv_stored", c.batch * sequence.stored);
  e.memory_needed = named("memory_needed", e.weights_stored + e.context_stored);
  e.memory_there = named("memory_capacity", c.chips * c.hbm_capacity);
  e.batch_limit = named("batch_limit", divide_or_unbounded(e.memory_there - e.weights_stored, sequence.stored));
  const Bytes<S> room = named("room", (e.memory_there - e.weights_stored) / c.batch);
  e.context_limit = named("context_limit", c.has.any() ? context_costing(c, stored_cost(c), room, false)
                                                       : divide_or_unbounded(room, c.kv_stored));
}

/// Rates and costs, from the chip time one token takes: at this batch, in the limit of ever larger batches, and alone.
/// At this batch it is step_time * n / B, written so that neither n nor B stands above and below the line: ranges of
/// them stay narrow.
template <class S>
void rates(const DecodeCase<S>& c, const PerSequence<S>& sequence, DecodeEstimate<S>& e) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto token = literal<Tokens<S>>(1.0);  // a sequence makes one a step
  const Seconds<S> compute = sequence.compute;
  const Seconds<S> weights_each = named("m_weights", e.weights_read / (c.batch * c.hbm_bandwidth));
  const Seconds<S> memory_each = named("m_token", weights_each + sequence.context);
  const Seconds<S> each = named("c_token", max(compute, memory_each));
  const Seconds<S> least = named("c_least", max(compute, sequence.context));
  const Seconds<S> alone = named("c_alone", max(compute, sequence.one_choice / c.hbm_bandwidth + sequence.context));
  e.user_rate = named("tok_s_per_user", token / e.step_time);
  e.chip_rate = named("output_tok_s_per_chip", token / each);
  e.total_rate = named("output_tok_s", c.chips * e.chip_rate);
  e.rate_ceiling = named("output_tok_s_ceiling", c.chips * token / least);
  const auto chip_second = c.price / (c.utilization * token);
  e.cost = named("cost", chip_second * each);
  e.cost_floor = named("cost_floor", chip_second * least);
  e.cost_alone = named("cost_alone", chip_second * alone);
  e.alone_penalty = named("alone_penalty", alone / least);
  e.slow_saving = named("slow_saving", one - min(one, least / each));  // least <= each; min tells intervals so
  e.fast_ceiling = named("fast_ceiling", c.batch * each / alone);
  // each over the longer of the two; an input that moves both stands in one quotient
  e.mfu = named("mfu", min(one, compute / memory_each));
  e.mbu = named("mbu", min(one, memory_each / compute));
}

template <class S>
DecodeEstimate<S> all_of_it(const DecodeCase<S>& c) {
  const PerSequence<S> sequence = per_sequence(c);
  DecodeEstimate<S> e;
  times(c, sequence, e);
  crossings(c, sequence, e);
  capacity(c, sequence, e);
  rates(c, sequence, e);
  return e;
}

}  // namespace decode

template <class S>
DecodeEstimate<S> estimate_decode(const DecodeCase<S>& c) {
  return decode::all_of_it(c);
}

}  // namespace ridge
