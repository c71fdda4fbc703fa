#pragma once
// The numbers of a deployment under a load that a reading may move: a machine's peaks, the calibrations, prices and the
// load. What they meet, the operations of a step, are plain shapes (serve/deployment.hpp).

#include "base/field_list.hpp"
#include "cost/operation.hpp"
#include "roofline/decode.hpp"

namespace ridge {

template <class S>
struct ServingCase {
  ChipPeaks<S> peak;
  Bytes<S> hbm_capacity;
  ChipCalibration<S> chip;
  KernelCalibration<S> kernel;
  EngineCalibration<S> engine;
  Bytes<S> process;             // of a chip's memory, what the engine's process holds beside its tensors
  Ratio<S> memory_utilization;  // of a chip's memory, by the engine's rule
  DollarsPerSecond<S> price;    // of a chip
  Ratio<S> utilization;         // share of the paid time in use
  Watts<S> power;               // of a chip, at the socket; 0 where it is not known
  Tokens<S> isl, osl;           // mean lengths of a prompt and of what is generated
  Ratio<S> cached;              // share of each prompt in the prefix cache
  Ratio<S> concurrency;         // requests in flight on one replica
  Ratio<S> acceptance_rate;     // of a speculative token
  bool decodes = true;          // whether any output has more than its first token

  ChipRates<S> rates() const { return {peak, chip, kernel}; }
};

/// Calls visit(InputInfo, field) for every number, always in the same order.
template <class Case, class Visit>
constexpr void visit_serving_inputs(Case& c, Visit&& visit) {
  using enum Domain;
  visit(InputInfo{"matmul.16-bit", "C_16", "dense 16-bit matrix peak", not_negative}, c.peak.matrix[0]);
  visit(InputInfo{"matmul.8-bit", "C_8", "dense 8-bit matrix peak", not_negative}, c.peak.matrix[1]);
  visit(InputInfo{"matmul.4-bit", "C_4", "dense 4-bit matrix peak", not_negative}, c.peak.matrix[2]);
  visit(InputInfo{"hbm.bandwidth", "W", "memory bandwidth", positive}, c.peak.memory);
  visit(InputInfo{"hbm.capacity", "M", "memory capacity", positive}, c.hbm_capacity);
  visit(InputInfo{"scale_up", "U", "scale-up bandwidth of a chip, one way", not_negative}, c.peak.scale_up);
  visit(InputInfo{"scale_out", "X", "scale-out bandwidth of a chip, one way", not_negative}, c.peak.scale_out);
  visit(InputInfo{"scale_out.latency", "l_hop", "a message from one domain to the next", not_negative}, c.peak.hop);
  visit(InputInfo{"chip.matrix_16bit", "e_16", "share of the 16-bit matrix peak reached", positive},
        c.chip.matrix_16bit);
  visit(InputInfo{"chip.matrix_8bit", "e_8", "share of the 8-bit matrix peak reached", positive}, c.chip.matrix_8bit);
  visit(InputInfo{"chip.matrix_4bit", "e_4", "share of the 4-bit matrix peak reached", positive}, c.chip.matrix_4bit);
  visit(InputInfo{"chip.memory", "e_W", "share of the bandwidth reached reading weights", positive}, c.chip.memory);
  visit(InputInfo{"chip.attention_memory", "e_kv", "share of the bandwidth reached reading the KV cache", positive},
        c.chip.attention_memory);
  visit(InputInfo{"chip.attention_matrix", "e_a", "share of the 16-bit peak reached in attention", positive},
        c.chip.attention_matrix);
  visit(InputInfo{"chip.softmax_rate", "x_a", "attention scores a second", positive}, c.chip.softmax_rate);
  visit(InputInfo{"chip.link", "e_U", "share of the link bandwidth reached", positive}, c.chip.link);
  visit(InputInfo{"chip.product_time", "l_gemm", "launch of a GEMM", not_negative}, c.chip.product_time);
  visit(InputInfo{"chip.attention_time", "l_att", "launch of attention", not_negative}, c.chip.attention_time);
  visit(InputInfo{"chip.block_time", "l_block", "decode attention's time for a sequence and KV head", not_negative},
        c.chip.block_time);
  visit(InputInfo{"chip.prefill_time", "l_pre", "launch of prefill attention", not_negative}, c.chip.prefill_time);
  visit(InputInfo{"chip.experts_time", "l_moe", "launch of an expert layer: routing, sorting", not_negative},
        c.chip.experts_time);
  visit(InputInfo{"chip.small_time", "l_small", "a small kernel between the large ones", not_negative},
        c.chip.small_time);
  visit(InputInfo{"chip.reduce_time", "l_ar", "launch of an all-reduce", not_negative}, c.chip.reduce_time);
  visit(InputInfo{"kernel.depth_16bit", "d_16", "16-bit GEMM: time for 1,000 of its inner size", not_negative},
        c.kernel.depth_16bit);
  visit(InputInfo{"kernel.depth_8bit", "d_8", "8-bit GEMM: time for 1,000 of its inner size", not_negative},
        c.kernel.depth_8bit);
  visit(InputInfo{"kernel.depth_4bit", "d_4", "4-bit GEMM: time for 1,000 of its inner size", not_negative},
        c.kernel.depth_4bit);
  visit(InputInfo{"kernel.quantize_passes", "k_q", "passes over memory to quantize an input", not_negative},
        c.kernel.quantize_passes);
  visit(InputInfo{"kernel.decode_rows", "k_rows", "rows of padding beside a group's query heads", not_negative},
        c.kernel.decode_rows);
  visit(InputInfo{"kernel.join_share", "k_join", "launch of attention over a long context, above a short one's",
                  not_negative},
        c.kernel.join_share);
  visit(InputInfo{"kernel.join_context", "L_join", "context where half of that is paid", positive},
        c.kernel.join_context);
  visit(
      InputInfo{"kernel.block_root", "k_root", "decode attention's time for the root of its query rows", not_negative},
      c.kernel.block_root);
  visit(
      InputInfo{"kernel.prefill_block_time", "l_pb", "prefill attention's time for a sequence and head", not_negative},
      c.kernel.prefill_block_time);
  visit(InputInfo{"kernel.prefill_rows", "k_pr", "scores' worth of work for each query row of prefill", not_negative},
        c.kernel.prefill_rows);
  visit(InputInfo{"kernel.state_rows", "k_sr", "rows of padding beside a recurrent state's heads in prefill",
                  not_negative},
        c.kernel.state_rows);
  visit(InputInfo{"kernel.prefill_passes", "k_pp", "passes of Q, K, V and results over memory", not_negative},
        c.kernel.prefill_passes);
  visit(InputInfo{"kernel.expert_matrix", "e_moe", "what grouped GEMMs reach of plain ones", positive},
        c.kernel.expert_matrix);
  visit(InputInfo{"kernel.expert_blocks", "e_block", "what block-scaled grouped GEMMs reach of those", positive},
        c.kernel.expert_blocks);
  visit(InputInfo{"kernel.expert_skew", "v_e", "share of the most uneven popularity of experts", not_negative},
        c.kernel.expert_skew);
  visit(InputInfo{"kernel.balanced_skew", "v_b", "the same under a router that a bias balances", not_negative},
        c.kernel.balanced_skew);
  visit(InputInfo{"kernel.expert_memory", "e_We", "what reading experts reaches of reading weights", positive},
        c.kernel.expert_memory);
  visit(InputInfo{"kernel.expert_rows", "k_er", "rows of padding for each expert touched", not_negative},
        c.kernel.expert_rows);
  visit(InputInfo{"kernel.unpack_rows", "k_ur", "the same where weights alone are narrow", not_negative},
        c.kernel.unpack_rows);
  visit(InputInfo{"kernel.unpack_matrix", "e_u", "what such GEMMs reach of plain 16-bit ones", positive},
        c.kernel.unpack_matrix);
  visit(InputInfo{"kernel.expert_passes", "k_ep", "passes of an expert layer's activations over memory", not_negative},
        c.kernel.expert_passes);
  visit(InputInfo{"kernel.expert_token_time", "l_route", "routing and sorting of a token", not_negative},
        c.kernel.expert_token_time);
  visit(InputInfo{"kernel.reduce_per_chip", "l_arn", "all-reduce: each chip after the second", not_negative},
        c.kernel.reduce_per_chip);
  visit(InputInfo{"kernel.reduce_phase", "k_ar2", "second phase of a two-shot all-reduce", not_negative},
        c.kernel.reduce_phase);
  visit(InputInfo{"kernel.reduce_across_time", "l_arx", "all-reduce: launch of its part between domains", not_negative},
        c.kernel.reduce_across_time);
  visit(InputInfo{"kernel.all_to_all_time", "l_a2a", "launch of a dispatch or a combine", not_negative},
        c.kernel.all_to_all_time);
  visit(InputInfo{"kernel.small_share", "k_small", "small kernels that no large one absorbs", not_negative},
        c.kernel.small_share);
  visit(InputInfo{"engine.step_time", "h_step", "engine overhead of a step", not_negative}, c.engine.step_time);
  visit(InputInfo{"engine.sequence_time", "h_seq", "engine overhead of a sequence", not_negative},
        c.engine.sequence_time);
  visit(InputInfo{"engine.prefill_factor", "k_mix", "prefill in a mixed step against prefill alone", not_negative},
        c.engine.prefill_factor);
  visit(InputInfo{"engine.launch_time", "h_k", "the host's time for each kernel of a step with prompts", not_negative},
        c.engine.launch_time);
  visit(InputInfo{"engine.prefill_step_time", "h_pre", "engine overhead of a step with prompts, above others",
                  not_negative},
        c.engine.prefill_step_time);
  visit(InputInfo{"engine.prompt_time", "h_prompt", "engine overhead of a prompt in a step, above a sequence's",
                  not_negative},
        c.engine.prompt_time);
  visit(InputInfo{"engine.expert_padding", "k_pad",
                  "more rows that pad experts in a step with prompts, over the kernels' own", not_negative},
        c.engine.expert_padding);
  visit(InputInfo{"engine.first_time", "h_first", "a request's way to its first step and back", not_negative},
        c.engine.first_time);
  visit(InputInfo{"engine.first_token_time", "h_tok", "that way, for each token of the prompt", not_negative},
        c.engine.first_token_time);
  visit(InputInfo{"memory.process", "m_proc", "memory of the engine's process", not_negative}, c.process);
  visit(InputInfo{"memory_utilization", "m_u", "share of memory the engine takes, by its rule", share},
        c.memory_utilization);
  visit(InputInfo{"price", "p", "price of a chip", not_negative}, c.price);
  visit(InputInfo{"utilization", "u", "share of paid time in use", share}, c.utilization);
  visit(InputInfo{"power", "P", "power of a chip at the socket", not_negative}, c.power);
  visit(InputInfo{"isl", "ISL", "mean tokens of a prompt", at_least_one}, c.isl);
  visit(InputInfo{"osl", "OSL", "mean tokens generated", at_least_one}, c.osl);
  visit(InputInfo{"cached", "hit", "share of a prompt in the prefix cache", part}, c.cached);
  visit(InputInfo{"concurrency", "n", "concurrency of a replica", positive}, c.concurrency);
  visit(InputInfo{"acceptance_rate", "a", "acceptance rate of a speculative token", part}, c.acceptance_rate);
}

inline constexpr std::size_t kServingInputs = 69;

template <>
struct FieldList<ServingCase> {
  using Info = InputInfo;
  static constexpr std::size_t kCount = kServingInputs;
  static constexpr void visit(auto& c, auto&& f) { visit_serving_inputs(c, f); }
  static constexpr void keep_terms(const auto& from, auto& to) { to.decodes = from.decodes; }
};

}  // namespace ridge
