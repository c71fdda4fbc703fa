#pragma once
// The few physical numbers that turn datasheet peaks into predictions: efficiencies and fixed times of a chip, shared
// constants of the kernels everybody uses, and the habits of an engine. They are data (catalog/calibration/), each with
// its fit; nothing here knows a value.

#include <string_view>

#include "base/number/units.hpp"

namespace ridge {

/// Which matrix unit multiplies: 16-bit, 8-bit or 4-bit numbers.
enum class Precision { bits16, bits8, bits4 };
inline constexpr std::size_t kPrecisions = 3;

/// Of one chip: what it reaches of its datasheet, and what starting something costs.
template <class S>
struct ChipCalibration {
  Ratio<S> matrix_16bit, matrix_8bit, matrix_4bit;  // share of the dense matrix peak
  Ratio<S> memory;                                  // share of the memory bandwidth, reading weights
  Ratio<S> attention_memory;                        // the same, reading a cache
  Ratio<S> attention_matrix;                        // share of the 16-bit peak in attention
  PerSecond<S> softmax_rate;                        // scores a second: exponentials, not products
  Ratio<S> link;                                    // share of the scale-up bandwidth
  Seconds<S> product_time;                          // of a matrix product that has nothing to do
  Seconds<S> attention_time;                        // of an attention that has nothing to do
  Seconds<S> block_time;                            // of decoding, for a sequence and kv head, whatever its length
  Seconds<S> prefill_time;                          // of a prompt's attention that has nothing to do
  Seconds<S> experts_time;                          // of an expert layer that has nothing to do: routing, sorting
  Seconds<S> small_time;                            // of a small kernel between the large ones
  Seconds<S> reduce_time;                           // of an all-reduce between two chips that has nothing to add

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("matrix_16bit", self.matrix_16bit);
    visit("matrix_8bit", self.matrix_8bit);
    visit("matrix_4bit", self.matrix_4bit);
    visit("memory", self.memory);
    visit("attention_memory", self.attention_memory);
    visit("attention_matrix", self.attention_matrix);
    visit("softmax_rate", self.softmax_rate);
    visit("link", self.link);
    visit("product_time", self.product_time);
    visit("attention_time", self.attention_time);
    visit("block_time", self.block_time);
    visit("prefill_time", self.prefill_time);
    visit("experts_time", self.experts_time);
    visit("small_time", self.small_time);
    visit("reduce_time", self.reduce_time);
  }
};

/// Constants of the way kernels are written, the same on all chips.
template <class S>
struct KernelCalibration {
  Seconds<S> depth_16bit, depth_8bit, depth_4bit;  // of a product, for each 1,000 of its inner dimension
  Ratio<S> quantize_passes;                        // times a product's input crosses the memory to be made narrow
  Ratio<S> decode_rows;                            // rows of padding beside the query heads that share a key
  Ratio<S> join_share;                             // starting attention over a long context, above a short one's
  Tokens<S> join_context;                          // the context where half of that is paid
  Ratio<S> block_root;                             // of a decode block, for the root of its query rows
  Seconds<S> prefill_block_time;                   // of a prompt's attention, for a sequence and head of 128
  Ratio<S> prefill_rows;          // scores' worth of work that every query row of a prompt costs beside its scores
  Ratio<S> state_rows;            // rows of padding beside the heads that share a recurrent state, in a prompt
  Ratio<S> prefill_passes;        // times queries, keys, values and results cross the memory
  Ratio<S> expert_matrix;         // what grouped products reach of plain ones
  Ratio<S> expert_blocks;         // what block-scaled grouped products reach of those with a scale a tensor
  Ratio<S> expert_skew;           // of the experts' popularity: its variance over the most there can be
  Ratio<S> balanced_skew;         // the same under a router that training balances by a bias of its own
  Ratio<S> expert_memory;         // what reading experts reaches of reading plain weights
  Ratio<S> expert_rows;           // rows of padding that every touched expert pays
  Ratio<S> unpack_rows;           // the same where weights alone are narrow, and are made wide on the way
  Ratio<S> unpack_matrix;         // what such products reach of plain 16-bit ones
  Ratio<S> expert_passes;         // times the activations of an expert layer cross the memory
  Seconds<S> expert_token_time;   // of choosing and sorting, for a token
  Seconds<S> reduce_per_chip;     // of an all-reduce, for each chip after the second
  Ratio<S> reduce_phase;          // the second phase of a two-phase all-reduce, against starting the first
  Seconds<S> reduce_across_time;  // of an all-reduce's part between domains that has nothing to send
  Seconds<S> all_to_all_time;     // of a dispatch or a combine that has nothing to send
  Ratio<S> small_share;           // of the small kernels between the large ones, those that no large one absorbs

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("depth_16bit", self.depth_16bit);
    visit("depth_8bit", self.depth_8bit);
    visit("depth_4bit", self.depth_4bit);
    visit("quantize_passes", self.quantize_passes);
    visit("decode_rows", self.decode_rows);
    visit("join_share", self.join_share);
    visit("join_context", self.join_context);
    visit("block_root", self.block_root);
    visit("prefill_block_time", self.prefill_block_time);
    visit("prefill_rows", self.prefill_rows);
    visit("state_rows", self.state_rows);
    visit("prefill_passes", self.prefill_passes);
    visit("expert_matrix", self.expert_matrix);
    visit("expert_blocks", self.expert_blocks);
    visit("expert_skew", self.expert_skew);
    visit("balanced_skew", self.balanced_skew);
    visit("expert_memory", self.expert_memory);
    visit("expert_rows", self.expert_rows);
    visit("unpack_rows", self.unpack_rows);
    visit("unpack_matrix", self.unpack_matrix);
    visit("expert_passes", self.expert_passes);
    visit("expert_token_time", self.expert_token_time);
    visit("reduce_per_chip", self.reduce_per_chip);
    visit("reduce_phase", self.reduce_phase);
    visit("reduce_across_time", self.reduce_across_time);
    visit("all_to_all_time", self.all_to_all_time);
    visit("small_share", self.small_share);
  }
};

/// Of an engine (vLLM, SGLang, TensorRT-LLM at a version).
template <class S>
struct EngineCalibration {
  Seconds<S> step_time;          // of a step, whatever is in it: scheduling, launching, sampling
  Seconds<S> sequence_time;      // for each sequence in it
  Ratio<S> prefill_factor;       // prefill inside a mixed step, against prefill alone
  Seconds<S> launch_time;        // of the host, for each kernel of a step with prompts that no captured graph holds
  Seconds<S> prefill_step_time;  // of a step with prompts, beside its kernels and above a step without
  Seconds<S> prompt_time;        // for each prompt in a step, above a sequence that decodes
  Ratio<S>
      expert_padding;  // of 8 or 4 bit experts in a captured step with prompts: more rows of padding, over the kernels' own
  Seconds<S> first_time;        // of a request on its way to its first step and back
  Seconds<S> first_token_time;  // of that way, for each token of the prompt: text to tokens, and between processes

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("step_time", self.step_time);
    visit("sequence_time", self.sequence_time);
    visit("prefill_factor", self.prefill_factor);
    visit("launch_time", self.launch_time);
    visit("prefill_step_time", self.prefill_step_time);
    visit("prompt_time", self.prompt_time);
    visit("expert_padding", self.expert_padding);
    visit("first_time", self.first_time);
    visit("first_token_time", self.first_token_time);
  }
};

}  // namespace ridge
