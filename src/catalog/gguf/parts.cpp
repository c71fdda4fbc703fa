#include "catalog/gguf/parts.hpp"

#include <algorithm>
#include <charconv>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) { return text.starts_with(head); });
}

Part part_of_block_tensor(std::string_view rest) {
  if (starts_with_any(rest, {"nextn."})) return Part::mtp;
  if (starts_with_any(rest, {"vis_"})) return Part::vision;
  if (starts_with_any(rest, {"attn_norm", "attn_output_norm", "attn_post_norm", "post_", "pre_ffw_norm", "ffn_norm",
                             "ffn_post_norm", "layer_output_norm", "laurel_post_norm"})) {
    return Part::norms;
  }
  if (starts_with_any(rest, {"attn_", "ssm_", "shortconv.", "indexer.", "time_mix_", "cross_attn_"})) {
    return Part::attention;
  }
  if (starts_with_any(rest, {"ffn_gate_inp.", "exp_probs_b", "ffn_exp_probs_b"})) return Part::router;
  if (contains(rest, "shexp") || starts_with_any(rest, {"ffn_latent_"})) return Part::shared_experts;
  if (contains(rest, "exps.")) return Part::routed_experts;
  if (starts_with_any(rest, {"ffn_gate.", "ffn_up.", "ffn_down."}) && std::count(rest.begin(), rest.end(), '.') == 2) {
    return Part::routed_experts;  // files of 2023 hold each expert apart: ffn_gate.7.weight
  }
  if (starts_with_any(rest, {"ffn_", "ffn.", "channel_mix_"})) return Part::dense_ffn;
  return Part::other;
}

}  // namespace

std::optional<BlockTensor> block_tensor(std::string_view name) {
  constexpr std::string_view kPrefix = "blk.";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  unsigned block = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), block);
  const auto digits = static_cast<std::size_t>(end - name.data());
  if (error != std::errc() || digits + 1 >= name.size() || name[digits] != '.') return std::nullopt;
  return BlockTensor{static_cast<double>(block), name.substr(digits + 1)};
}

Part part_of_gguf_tensor(std::string_view name, double layers) {
  if (starts_with_any(name, {"a.", "mm.a."})) return Part::audio;
  if (starts_with_any(name, {"v.", "mm.", "resampler."})) return Part::vision;
  if (starts_with_any(name, {"token_embd.", "per_layer_token_embd.", "position_embd.", "token_types."})) {
    return Part::embedding;
  }
  if (starts_with_any(name, {"output.", "cls."})) return Part::head;
  if (starts_with_any(name, {"output_norm", "token_embd_norm", "per_layer_proj_norm"})) return Part::norms;
  if (starts_with_any(name, {"nextn."})) return Part::mtp;
  const auto inside = block_tensor(name);
  if (!inside) return Part::other;
  return inside->block >= layers ? Part::mtp : part_of_block_tensor(inside->rest);
}

}  // namespace ridge::catalog
