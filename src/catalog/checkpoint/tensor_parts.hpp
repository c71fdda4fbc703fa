#pragma once
// What the tensors of a real checkpoint are, from their names, types and shapes: so that a model built from a config
// can be compared with the file, part by part.
//
// Names. A name is a path ("model.layers.3.mlp.experts.7.up_proj.weight"); any prefix may come before what decides. The
// first rule that fits, of these:
//   audio, vision     a component that says so (audio_tower, visual, vision_tower, multi_modal_projector, ...)
//   mtp               mtp*, nextn*, enorm, hnorm, eh_proj, shared_head; layer indices from `main_layers` on
//   embedding, head   embed_tokens, wte, embed_tokens_per_layer, ...; lm_head, embed_out, head or output outside layers
//   other             hc_*, layer_scalar, altup*, laurel*, *per_layer*: residual mixing
//   router            router, e_score_correction_bias, expert_bias, tid2eid; `gate` that is not attention's
//   shared_experts    shared_expert*, shared_mlp, fc1_latent_proj, fc2_latent_proj
//   routed_experts    experts, switch_mlp, and what else lies in block_sparse_moe or moe
//   attention         self_attn, attn, linear_attn, mixer, mamba, conv, ... with the norms inside
//   dense_ffn         mlp, ffn, feed_forward, fc1, fc2; mixer.{gate,up,down}_proj
//   norms             *norm*, ln_*
// GGUF's names (blk.N.attn_q, ffn_up_exps, ...) have the same meanings. What no rule fits is `other`, and is listed.
//
// Counting. Parameters are logical ones, not stored elements; bytes are what the file holds.
//   side tensors      scales, zero points, permutations, tables of quantization: no parameters; their bytes belong
//                     to the part they scale (weight_scale*, input_scale, scales, qzeros, g_idx, weight_shape, k_scale,
//                     absmax, quant_map, SCB, ...; `X.scale` beside a narrow `X.weight`; `X_scales` beside `X_blocks`)
//   two in a byte     U8 `weight` whose weight_scale is finer than a row (NVFP4); I8 or U8 `weight` with an 8-bit float
//                     scale for 16 or 32 values (DeepSeek-V4); U8 `*_blocks` (MXFP4), `weight_packed`, bitsandbytes
//   32/bits in a word GPTQ and AWQ `qweight`: bits from qzeros against scales, or from g_idx; compressed-tensors
//                     `weight_packed`: bits from weight_zero_point or weight_g_idx, else from the group size;
//                     MLX U32 `weight` with `scales`. Where shapes do not tell: `packed_bits`, else a guess
//   buffers           inv_freq, causal masks (attn.bias of rank 3 or more), position_ids, ...: nothing, and listed
// The totals the Hub shows differ: they count stored elements (a packed byte is one), older entries include scales,
// scalars of rank 0 count nothing, and e_score_correction_bias counts, as it does here.

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/checkpoint/tensor_table.hpp"
#include "model/weight.hpp"

namespace ridge::catalog {

/// Part::other where the name says nothing.
Part part_of_tensor(std::string_view name);

/// DeepSeek and GLM store the multi-token-prediction module as one layer more: layers from `main_layers` on are mtp.
/// Zero: the number is not known.
Part part_of_tensor(std::string_view name, double main_layers);

struct CountedTensors {
  std::array<double, kParts> params{}, bytes{};
  std::array<std::map<std::string, double>, kParts> bytes_by_type;  // types as the file has them; sums to `bytes`
  double scale_bytes = 0;                                           // of side tensors; contained in `bytes`
  double guessed_bits = 0;           // packed tensors whose width neither shapes nor packed_bits tell: a likely one
  std::vector<std::string> buffers;  // not parameters; not counted
  std::vector<std::string> unknown;  // counted under `other`, or whole numbers of unknown packing counted as stored
};

/// Scales are found beside what they scale: give all files of a checkpoint as one table. `packed_bits` is the width the
/// config's quantization_config states; zero: not known.
CountedTensors count_tensors(const TensorTable& table, double main_layers, double packed_bits = 0);

}  // namespace ridge::catalog
