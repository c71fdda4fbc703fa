#pragma once
// The decode step as the lecture has it: one new token for each of B sequences, on n chips that share the work
// perfectly, with compute and memory traffic overlapped. No network, no kernel overheads: a bound that nothing beats.
// docs/theory/decode.md derives every line.

#include <array>
#include <cstddef>
#include <string_view>

#include "base/number/units.hpp"

namespace ridge {

/// Which terms the cost of context has beside the one for every token. Plain flags, the same for all lanes of a sweep:
/// a model without windows has no zeros in its equations.
struct ContextParts {
  bool window = false, selected = false, root = false, state = false;

  constexpr bool any() const { return window || selected || root || state; }
};

/// For one more routed expert in every layer of the model: see roofline/expert_followers.hpp. All zero where nobody knows,
/// or where the user said otherwise.
struct ExpertFollowers {
  double routed = 0, router = 0;  // parameters of the experts, and of what every token reads
  double router_width = 0;        // bytes of one of the latter

  constexpr bool known() const { return routed > 0; }
};

/// Every number the decode equations read. Rates and capacities are per chip.
template <class S>
struct DecodeCase {
  Ratio<S> chips;
  FlopsPerSecond<S> matmul_weights, matmul_experts, matmul_attention;  // dense peak at each part's precision
  BytesPerSecond<S> hbm_bandwidth;
  Bytes<S> hbm_capacity;
  DollarsPerSecond<S> price;
  Ratio<S> utilization;  // share of the time that is paid for and used
  Params<S> params_dense, params_routed, params_lookup;
  Ratio<S> experts, experts_per_token;  // both 1 for a model without experts
  BytesPerParam<S> width_weights, width_experts, width_lookup;
  BytesPerToken<S> kv_stored, kv_read;  // of one sequence
  FlopsPerToken<S> attention_flops;     // one query token against one token of context, all layers
  Ratio<S> batch;
  Tokens<S> context;
  // What grows with the context only so far, or not at all: sliding windows, tokens chosen by sparse attention, the
  // square root of an idealized one, recurrent states. All zero for plain attention.
  Tokens<S> window, selected;
  BytesPerToken<S> window_stored, window_read, selected_read, root_read;
  FlopsPerToken<S> window_flops, selected_flops, root_flops;
  Bytes<S> state_stored, state_read;
  Flops<S> state_flops;
  ContextParts has;         // which of those there are
  ExpertFollowers follows;  // from experts

  /// Of the routed experts, those that one token uses; and all parameters that it does.
  Ratio<S> chosen_share() const { return experts_per_token / experts; }
  Params<S> params_active() const { return params_dense + chosen_share() * params_routed; }
};

/// share: above 0, at most 1; part: or 0; power: of a scaling law, below a hundredth of which nothing was ever fitted.
enum class Domain { positive, not_negative, at_least_one, share, part, power };

struct InputInfo {
  std::string_view key, symbol, meaning;
  Domain domain;
};

/// Calls visit(InputInfo, field) for every input, always in the same order. The one list behind JSON, --set, --range,
/// --sensitivity, scenarios and the SIMD sweep.
template <class Case, class Visit>
constexpr void visit_inputs(Case& c, Visit&& visit) {
  using enum Domain;
  visit(InputInfo{"chips", "n", "chips sharing the step", at_least_one}, c.chips);
  visit(InputInfo{"matmul.weights", "C_w", "dense matrix peak for the weights' format", positive}, c.matmul_weights);
  visit(InputInfo{"matmul.experts", "C_e", "dense matrix peak for the experts' format", positive}, c.matmul_experts);
  visit(InputInfo{"matmul.attention", "C_a", "dense matrix peak for attention's format", positive}, c.matmul_attention);
  visit(InputInfo{"hbm.bandwidth", "W", "memory bandwidth", positive}, c.hbm_bandwidth);
  visit(InputInfo{"hbm.capacity", "M", "memory capacity", positive}, c.hbm_capacity);
  visit(InputInfo{"price", "p", "price of a chip", not_negative}, c.price);
  visit(InputInfo{"utilization", "u", "share of paid time in use", share}, c.utilization);
  visit(InputInfo{"params.dense", "N_dense", "parameters every token reads", positive}, c.params_dense);
  visit(InputInfo{"params.routed", "N_routed", "parameters in routed experts", not_negative}, c.params_routed);
  visit(InputInfo{"params.lookup", "N_lookup", "parameters only looked up", not_negative}, c.params_lookup);
  visit(InputInfo{"experts.count", "E", "routed experts in a layer", at_least_one}, c.experts);
  visit(InputInfo{"experts.per_token", "k", "routed experts a token uses", at_least_one}, c.experts_per_token);
  visit(InputInfo{"width.weights", "b_w", "bytes of a weight", positive}, c.width_weights);
  visit(InputInfo{"width.experts", "b_e", "bytes of an expert's weight", positive}, c.width_experts);
  visit(InputInfo{"width.lookup", "b_l", "bytes of a parameter only looked up", positive}, c.width_lookup);
  visit(InputInfo{"kv.stored", "v", "KV cache bytes stored per token", not_negative}, c.kv_stored);
  visit(InputInfo{"kv.read", "r", "KV cache bytes read per token and step", not_negative}, c.kv_read);
  visit(InputInfo{"attention.flops", "a", "attention FLOP per token of context", not_negative}, c.attention_flops);
  visit(InputInfo{"batch", "B", "sequences decoding at once", at_least_one}, c.batch);
  visit(InputInfo{"context", "S", "tokens of context in each sequence", not_negative}, c.context);
  visit(InputInfo{"window.tokens", "w", "tokens in a sliding window", not_negative}, c.window);
  visit(InputInfo{"window.stored", "v_w", "KV bytes stored per token of window", not_negative}, c.window_stored);
  visit(InputInfo{"window.read", "r_w", "KV bytes read per token of window and step", not_negative}, c.window_read);
  visit(InputInfo{"window.flops", "a_w", "attention FLOP per token of window", not_negative}, c.window_flops);
  visit(InputInfo{"selected.tokens", "k_s", "tokens sparse attention selects", not_negative}, c.selected);
  visit(InputInfo{"selected.read", "r_s", "KV bytes read per selected token and step", not_negative}, c.selected_read);
  visit(InputInfo{"selected.flops", "a_s", "attention FLOP per selected token", not_negative}, c.selected_flops);
  visit(InputInfo{"root.read", "r_q", "KV bytes read per square root of context", not_negative}, c.root_read);
  visit(InputInfo{"root.flops", "a_q", "attention FLOP per square root of context", not_negative}, c.root_flops);
  visit(InputInfo{"state.stored", "z", "recurrent (SSM) state of a sequence", not_negative}, c.state_stored);
  visit(InputInfo{"state.read", "z_r", "state read and written in a step", not_negative}, c.state_read);
  visit(InputInfo{"state.flops", "a_z", "FLOP on the state in a step", not_negative}, c.state_flops);
}

inline constexpr std::size_t kDecodeInputs = 33;

/// Marks the part of the cost of context that an input, by its index, belongs to.
constexpr void mark_part(ContextParts& parts, std::size_t input) {
  constexpr std::size_t kWindow = 21, kSelected = 25, kRoot = 28, kState = 30;  // the first input of each
  if (input >= kState)
    parts.state = true;
  else if (input >= kRoot)
    parts.root = true;
  else if (input >= kSelected)
    parts.selected = true;
  else if (input >= kWindow)
    parts.window = true;
}

/// What the step takes and what follows from it.
template <class S>
struct DecodeEstimate {
  Ratio<S> touched;                                     // share of routed experts somebody in the batch needs
  Bytes<S> weights_read, context_read;                  // by the whole step
  Seconds<S> weights_time, context_time;                // memory
  Seconds<S> dense_time, experts_time, attention_time;  // compute
  Seconds<S> memory_time, compute_time, step_time;
  Seconds<S> step_context_apart, step_no_overlap;  // two other ways to combine the same parts
  Seconds<S> step_strict;                          // as if the whole batch agreed on the same k experts
  Seconds<S> floor_all, floor_one, sweep_time;
  Ratio<S> ridge_weights, ridge;                    // batch where compute equals memory: without and with context
  Tokens<S> balance_context, balance_context_full;  // context where reading it takes as long as computing
  Bytes<S> weights_stored, context_stored, memory_needed, memory_there;
  Ratio<S> batch_limit;     // largest batch that fits; negative: the weights do not
  Tokens<S> context_limit;  // longest context that fits at this batch
  TokensPerSecond<S> user_rate, chip_rate, total_rate, rate_ceiling;
  DollarsPerToken<S> cost, cost_floor, cost_alone;  // alone: a batch of one
  Ratio<S> alone_penalty, slow_saving, fast_ceiling;
  Ratio<S> mfu, mbu;
  Seconds<S> longest_wait;  // until the next step leaves, plus the step itself
};

struct OutputInfo {
  std::string_view key, meaning;
};

/// Calls visit(OutputInfo, field) for every output, always in the same order.
template <class Estimate, class Visit>
constexpr void visit_outputs(Estimate& e, Visit&& visit) {
  visit(OutputInfo{"experts_touched", "share of the routed experts that the batch activates"}, e.touched);
  visit(OutputInfo{"weights_read", "weight bytes a step reads"}, e.weights_read);
  visit(OutputInfo{"kv_read", "KV cache bytes a step reads"}, e.context_read);
  visit(OutputInfo{"weights_time", "time to read the weights"}, e.weights_time);
  visit(OutputInfo{"kv_time", "time to read the KV cache"}, e.context_time);
  visit(OutputInfo{"dense_time", "compute of the dense weights"}, e.dense_time);
  visit(OutputInfo{"experts_time", "compute of the routed experts"}, e.experts_time);
  visit(OutputInfo{"attention_time", "compute of attention"}, e.attention_time);
  visit(OutputInfo{"memory_time", "all HBM traffic"}, e.memory_time);
  visit(OutputInfo{"compute_time", "all compute"}, e.compute_time);
  visit(OutputInfo{"step_time", "one decode step"}, e.step_time);
  visit(OutputInfo{"step_kv_serial", "KV cache read first, then the larger of weights and compute"},
        e.step_context_apart);
  visit(OutputInfo{"step_no_overlap", "HBM traffic and compute without overlap"}, e.step_no_overlap);
  visit(OutputInfo{"step_best_routing", "best-case routing bound: the whole batch picks the same experts"},
        e.step_strict);
  visit(OutputInfo{"floor_all", "latency floor: all weights read once"}, e.floor_all);
  visit(OutputInfo{"floor_one", "latency floor of a single sequence without KV cache"}, e.floor_one);
  visit(OutputInfo{"sweep_time", "time to read all of HBM once"}, e.sweep_time);
  visit(OutputInfo{"ridge_weights", "ridge batch without KV cache reads"}, e.ridge_weights);
  visit(OutputInfo{"ridge", "ridge batch with KV cache reads and attention"}, e.ridge);
  visit(OutputInfo{"balance_context", "context whose KV read time equals the weights' compute"}, e.balance_context);
  visit(OutputInfo{"balance_context_full", "context whose KV read time equals all compute"}, e.balance_context_full);
  visit(OutputInfo{"weights_stored", "weights stored"}, e.weights_stored);
  visit(OutputInfo{"kv_stored", "KV cache stored"}, e.context_stored);
  visit(OutputInfo{"memory_needed", "memory needed"}, e.memory_needed);
  visit(OutputInfo{"memory_capacity", "memory capacity"}, e.memory_there);
  visit(OutputInfo{"batch_limit", "largest batch that fits"}, e.batch_limit);
  visit(OutputInfo{"context_limit", "longest context that fits at this batch"}, e.context_limit);
  visit(OutputInfo{"tok_s_per_user", "output tok/s/user"}, e.user_rate);
  visit(OutputInfo{"output_tok_s_per_chip", "output tok/s/chip"}, e.chip_rate);
  visit(OutputInfo{"output_tok_s", "output tok/s of all chips"}, e.total_rate);
  visit(OutputInfo{"output_tok_s_ceiling", "output tok/s that no batch exceeds"}, e.rate_ceiling);
  visit(OutputInfo{"cost", "cost of an output token"}, e.cost);
  visit(OutputInfo{"cost_floor", "cost no batch goes below"}, e.cost_floor);
  visit(OutputInfo{"cost_alone", "cost at batch 1"}, e.cost_alone);
  visit(OutputInfo{"alone_penalty", "cost at batch 1 over the floor"}, e.alone_penalty);
  visit(OutputInfo{"slow_saving", "most a slow mode can save"}, e.slow_saving);
  visit(OutputInfo{"fast_ceiling", "most a fast mode can speed up"}, e.fast_ceiling);
  visit(OutputInfo{"mfu", "share of peak compute in use"}, e.mfu);
  visit(OutputInfo{"mbu", "share of peak bandwidth in use"}, e.mbu);
  visit(OutputInfo{"longest_wait", "longest wait for a token: just missed a step, plus the step"}, e.longest_wait);
}

inline constexpr std::size_t kDecodeOutputs = 40;

template <class S>
DecodeEstimate<S> estimate_decode(const DecodeCase<S>& c);
template <>
DecodeEstimate<double> estimate_decode(const DecodeCase<double>& c);

/// Whether the input matters: it belongs to no such part, or to one that is there.
constexpr bool is_present(const ContextParts& parts, std::size_t input) {
  ContextParts own;
  mark_part(own, input);
  return !own.any() || (own.window && parts.window) || (own.selected && parts.selected) || (own.root && parts.root) ||
         (own.state && parts.state);
}

/// The parts of which some input is not zero.
template <class Values>
ContextParts parts_of(const Values& inputs) {
  ContextParts parts;
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    if (inputs[i] != 0.0) mark_part(parts, i);
  }
  return parts;
}

}  // namespace ridge
