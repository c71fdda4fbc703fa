// Is every way in which configs write their layers down understood, and is what is not understood refused by name?

#include "catalog/hf/config.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/refusal.hpp"
#include "catalog_library.hpp"
#include "model/layer_text.hpp"
#include "repeats.hpp"

namespace hf_config_test {

using namespace ridge;
using catalog::Assumptions;
using catalog::ReadModel;

namespace {

Result<ReadModel> read(std::string_view text, const Assumptions& assumptions = {}) {
  const auto json = catalog::parse_json(text, "config.json");
  REQUIRE(json);
  return catalog::read_hf_config(*json, "config.json", testing::config_words(), assumptions);
}

ReadModel read_well(std::string_view text, const Assumptions& assumptions = {}) {
  auto result = read(text, assumptions);
  if (!result) FAIL(result.error().front().where, ": ", result.error().front().what);
  return std::move(*result);
}

/// A small Llama: hidden 64, four heads of 16, two key/value heads; `more` begins with a comma.
std::string small(std::string_view type, int layers, std::string_view more = "") {
  return R"({"model_type": ")" + std::string(type) + R"(", "num_hidden_layers": )" + std::to_string(layers) +
         R"(, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
         "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 4096, "tie_word_embeddings": false,
         "torch_dtype": "bfloat16")" +
         std::string(more) + "}";
}

constexpr std::string_view kExperts = R"(, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32)";
constexpr std::string_view kMamba =
    R"(, "mamba_num_heads": 4, "mamba_head_dim": 32, "ssm_state_size": 16, "n_groups": 2,
  "conv_kernel": 4)";
constexpr std::string_view kDelta = R"(, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
  "linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_conv_kernel_dim": 4)";

char letter_of(const Mixer& mixer) {
  if (const auto* attention = std::get_if<GroupedAttention>(&mixer))
    return attention->chunked ? 'C' : attention->window < kUnlimited ? 'S' : 'F';
  if (const auto* attention = std::get_if<CompressedAttention>(&mixer))
    return attention->ratio == 0 ? '0' : attention->top > 0 ? '4' : '8';
  return std::holds_alternative<DeltaAttention>(mixer)       ? 'D'
         : std::holds_alternative<LightningAttention>(mixer) ? 'L'
         : std::holds_alternative<Mamba>(mixer)              ? 'M'
         : std::holds_alternative<ShortConvolution>(mixer)   ? 'V'
         : std::holds_alternative<CrossAttention>(mixer)     ? 'X'
         : std::holds_alternative<LatentAttention>(mixer)    ? 'A'
         : std::holds_alternative<IndexedAttention>(mixer)   ? 'I'
                                                             : '-';
}

/// One letter a layer: Full, Sliding, Chunked, Delta, Lightning, Mamba, conVolution, cross (X), lAtent, Indexed, none.
std::string mixers(const Model& model) {
  std::string letters;
  for (const std::size_t kind : model.order) letters += letter_of(model.kinds[kind].mixer);
  return letters;
}

/// One letter a layer: Experts, dense, none.
std::string networks(const Model& model) {
  std::string letters;
  for (const std::size_t kind : model.order)
    letters += model.kinds[kind].experts ? 'E' : model.kinds[kind].dense ? 'd' : '-';
  return letters;
}

std::string mixers(std::string_view text) { return mixers(read_well(text).model); }
std::string networks(std::string_view text) { return networks(read_well(text).model); }

const GroupedAttention& grouped(const Model& model, std::size_t layer) {
  return std::get<GroupedAttention>(model.kinds[model.order[layer]].mixer);
}

bool says(const std::vector<std::string>& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(), [&](const auto& one) { return one.find(part) != one.npos; });
}

/// The config is refused, and one error names `where` and says `what`.
void check_refused(std::string_view text, std::string_view where, std::string_view what,
                   const Assumptions& assumptions = {}) {
  CAPTURE(text);
  const auto result = read(text, assumptions);
  REQUIRE_FALSE(result);
  testing::check_refusal(result.error(), where, what);
}

void check_total(std::string_view name, std::string_view text, double wanted) {
  CAPTURE(name);
  CHECK(static_cast<long long>(count_parameters(read_well(text).model).stored()) == static_cast<long long>(wanted));
}

/// A published config from its sizes, in the order vocabulary, hidden, intermediate, layers, heads, key/value heads.
std::string sized(std::string_view type, std::vector<int> sizes, std::string_view more = "") {
  const std::vector<std::string_view> keys = {"vocab_size",        "hidden_size",         "intermediate_size",
                                              "num_hidden_layers", "num_attention_heads", "num_key_value_heads"};
  std::string text = R"({"model_type": ")" + std::string(type) + R"(", "max_position_embeddings": 131072)";
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += ", \"" + std::string(keys[i]) + "\": " + std::to_string(sizes[i]);
  return text + std::string(more) + "}";
}

std::string repeated(std::string_view item, int times) {
  std::string list;
  for (int i = 0; i < times; ++i) list += (i == 0 ? "" : ", ") + std::string(item);
  return list;
}

}  // namespace

TEST_CASE("a plain config gives its layers, sizes and weights") {
  const ReadModel llama = read_well(small("llama", 2));
  CHECK(mixers(llama.model) == "FF");
  CHECK(networks(llama.model) == "dd");
  CHECK(llama.model.family == "llama");
  CHECK(llama.model.context_limit == 4096);
  CHECK_FALSE(llama.model.tied_embeddings);
  // by hand: 2*100*64 + 64 + 2*(64*16*(2*4 + 2*2) + 3*64*128 + 2*64)
  CHECK(count_parameters(llama.model).total() == 12'800 + 64 + 2 * (12'288 + 24'576 + 128));
  CHECK(llama.unread.empty());
}

TEST_CASE("layer_types names the kind of each layer") {
  CHECK(mixers(small("qwen3", 4, R"(, "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"])")) == "SFSF");
  CHECK(mixers(small("llama4_text", 2, R"(, "layer_types": ["chunked_attention", "full_attention"],
    "attention_chunk_size": 512, "intermediate_size_mlp": 128)")) == "CF");
  CHECK(mixers(small("qwen3_5_text", 4, std::string(kDelta) + R"(, "layer_types": ["linear_attention",
    "linear_attention", "linear_attention", "full_attention"])")) == "DDDF");
  CHECK(mixers(small("minimax", 2, R"(, "layer_types": ["linear_attention", "full_attention"])")) == "LF");
  CHECK(mixers(small("lfm2", 3, R"(, "conv_L_cache": 3, "layer_types": ["conv", "full_attention", "conv"])")) == "VFV");
  const std::string granite = R"(, "layer_types": ["mamba", "attention"], "mamba_n_heads": 4, "mamba_d_head": 32,
    "mamba_d_state": 16, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_expand": 2, "shared_intermediate_size": 96)";
  CHECK(mixers(small("granitemoehybrid", 2, granite)) == "MF");
  CHECK(networks(small("granitemoehybrid", 2, granite)) == "dd");
}

TEST_CASE("hybrid_override_pattern and layers_block_type give blocks of one half each") {
  const std::string sizes =
      std::string(kMamba) + R"(, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
      "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 64)";
  for (const std::string& text :
       {small("nemotron_h", 4, sizes + R"(, "hybrid_override_pattern": "M*-E")"),
        small("nemotron_h", 4, sizes + R"(, "layers_block_type": ["mamba", "attention", "mlp", "moe"])")}) {
    const ReadModel hybrid = read_well(text);
    CHECK(mixers(hybrid.model) == "MF--");
    CHECK(networks(hybrid.model) == "--dE");
    CHECK(order_text(hybrid.model, hybrid.model.order) == "mamba, attention, dense, expert");
  }
  // by its length alone
  CHECK(mixers(R"({"model_type": "nemotron_h", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 16, "intermediate_size": 128, "vocab_size": 100, "hybrid_override_pattern": "M*M-")" +
               std::string(kMamba) + "}") == "MFM-");
}

TEST_CASE("attn_type_list: 0 is lightning, 1 is softmax") {
  CHECK(mixers(small("minimax_text_01", 4, R"(, "attn_type_list": [0, 0, 0, 1])")) == "LLLF");
  CHECK(mixers(small("minimax_m1", 2, R"(, "decoder_attention_types": [0, 1])")) == "LF");
}

TEST_CASE("hybrid_layer_pattern: 1 is a window, with sizes of its own") {
  const ReadModel mimo = read_well(small("mimo_v2_flash", 3, R"(, "hybrid_layer_pattern": [0, 1, 1],
    "swa_num_attention_heads": 4, "swa_num_key_value_heads": 4, "swa_head_dim": 8, "swa_v_head_dim": 4,
    "v_head_dim": 8, "sliding_window": 128, "add_swa_attention_sink_bias": true,
    "add_full_attention_sink_bias": false)"));
  CHECK(mixers(mimo.model) == "FSS");
  CHECK(grouped(mimo.model, 0).kv_heads == 2);
  CHECK(grouped(mimo.model, 0).value_dim == 8);
  CHECK_FALSE(grouped(mimo.model, 0).sinks);
  CHECK(grouped(mimo.model, 1).kv_heads == 4);
  CHECK(grouped(mimo.model, 1).head_dim == 8);
  CHECK(grouped(mimo.model, 1).value_dim == 4);
  CHECK(grouped(mimo.model, 1).window == 128);
  CHECK(grouped(mimo.model, 1).sinks);
}

TEST_CASE("full_attention_interval: every n-th layer sees everything") {
  CHECK(mixers(small("qwen3_next", 8, std::string(kDelta) + R"(, "full_attention_interval": 4)")) == "DDDFDDDF");
  CHECK(mixers(small("qwen3_next", 5, std::string(kDelta) + R"(, "full_attention_interval": 2)")) == "DFDFD");
}

TEST_CASE("sliding_window_pattern: a number or letters") {
  CHECK(mixers(small("cohere2", 8, R"(, "sliding_window": 64, "sliding_window_pattern": 4)")) == "SSSFSSSF");
  CHECK(mixers(small("exaone4", 6, R"(, "sliding_window": 64, "sliding_window_pattern": "LLG")")) == "SSFSSF");
  CHECK(mixers(small("exaone4", 6, R"(, "sliding_window": null, "sliding_window_pattern": "LLLG")")) == "FFFFFF");
  CHECK(mixers(small("gemma3_text", 6, R"(, "sliding_window": 64, "_sliding_window_pattern": 3)")) == "SSFSSF");
}

TEST_CASE("global_local_attention_pattern repeats") {
  const ReadModel gemma = read_well(small("gemma3", 5, R"(, "sliding_window_attention_size": 512,
    "global_local_attention_pattern": ["LOCAL", "GLOBAL"])"));
  CHECK(mixers(gemma.model) == "SFSFS");
  CHECK(grouped(gemma.model, 0).window == 512);
}

TEST_CASE("cross_attention_layers, full_attn_idxs and attn_layer_indices name layers by number") {
  CHECK(mixers(small("mllama_text_model", 5, R"(, "cross_attention_layers": [1, 4])")) == "FXFFX");
  CHECK(mixers(small("lfm2", 4, R"(, "conv_L_cache": 3, "full_attn_idxs": [2])")) == "VVFV");
  CHECK(mixers(small("bamba", 4, R"(, "attn_layer_indices": [1], "mamba_n_heads": 4, "mamba_d_head": "auto",
    "mamba_d_state": 16, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_expand": 2)")) == "MFMM");
}

TEST_CASE("no_rope_layers: a layer without positions sees everything, the others their chunk") {
  const std::string sizes = R"(, "attention_chunk_size": 512, "intermediate_size_mlp": 128)";
  CHECK(mixers(small("llama4_text", 4, sizes + R"(, "no_rope_layers": [1, 0, 1, 0])")) == "CFCF");
  CHECK(mixers(small("llama4_text", 4, sizes + R"(, "no_rope_layers": [])")) == "CCCF");
  CHECK(mixers(small("llama4_text", 4, sizes)) == "CCCF");
  CHECK(mixers(small("llama4_text", 4, sizes + R"(, "no_rope_layer_interval": 2)")) == "CFCF");
  // the same key of SmolLM3 says nothing about the cache
  CHECK(mixers(small("smollm3", 4, R"(, "no_rope_layers": [1, 1, 1, 0])")) == "FFFF");
}

TEST_CASE("linear_attn_config counts layers from 1") {
  const ReadModel kimi = read_well(small("kimi_linear", 4, R"(, "kv_lora_rank": 32, "q_lora_rank": null,
    "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16, "linear_attn_config": {"full_attn_layers": [4],
    "kda_layers": [1, 2, 3], "head_dim": 16, "num_heads": 4, "short_conv_kernel_size": 4})"));
  CHECK(mixers(kimi.model) == "DDDA");
  CHECK(std::get<DeltaAttention>(kimi.model.kinds.front().mixer).decay_rank == 16);
}

TEST_CASE("compress_ratios: one for each layer, and one for each prediction module") {
  const std::string sizes = R"(, "q_lora_rank": 32, "o_groups": 2, "o_lora_rank": 16, "sliding_window": 128,
    "index_n_heads": 4, "index_head_dim": 8, "index_topk": 64, "n_routed_experts": 4, "num_experts_per_tok": 2,
    "moe_intermediate_size": 32, "n_shared_experts": 1, "hc_mult": 2, "num_hash_layers": 1)";
  const ReadModel v4 = read_well(
      small("deepseek_v4", 3, sizes + R"(, "num_nextn_predict_layers": 1, "compress_ratios": [0, 4, 128, 0])"));
  CHECK(mixers(v4.model) == "048");
  CHECK(v4.model.mtp_order.size() == 1);
  CHECK(v4.model.kinds[v4.model.order[0]].experts->hash_rows == 100);
  CHECK_FALSE(v4.model.kinds[v4.model.order[0]].experts->routing_bias);
  CHECK(v4.model.kinds[v4.model.order[1]].experts->routing_bias);
  CHECK(mixers(small("deepseek_v4", 3, sizes + R"(, "compress_ratios": [0, 4, 128])")) == "048");
  check_refused(small("deepseek_v4", 3, sizes + R"(, "compress_ratios": [0, 4])"), "compress_ratios",
                "2 entries for 3 layers");
}

TEST_CASE("block_configs: each layer has its own attention and width, or none") {
  // ffn_mult 3 of hidden 64: 2*3*64/3 = 128, rounded up to a multiple of 256
  const ReadModel nas = read_well(small("nemotron-nas", 4, R"(, "block_configs": [
    {"attention": {"no_op": false, "replace_with_linear": false, "n_heads_in_group": 4},
     "ffn": {"no_op": false, "replace_with_linear": false, "ffn_mult": 3.0}},
    {"attention": {"no_op": true}, "ffn": {"no_op": false, "ffn_mult": 12.5}},
    {"attention": {"no_op": false, "replace_with_linear": true}, "ffn": {"no_op": true}},
    {"attention": {"n_heads_in_group": 2, "window_length": 100, "num_sink_tokens": 4},
     "ffn": {"intermediate_size": 300}}])"));
  CHECK(mixers(nas.model) == "F--S");
  CHECK(networks(nas.model) == "dd-d");
  CHECK(grouped(nas.model, 0).kv_heads == 1);
  CHECK(grouped(nas.model, 3).kv_heads == 2);
  CHECK(grouped(nas.model, 3).window == 104);
  const auto& kind = [&](std::size_t layer) -> const Layer& { return nas.model.kinds[nas.model.order[layer]]; };
  CHECK(kind(0).dense->size == 256);
  CHECK(kind(1).dense->size == 768);  // int(2*12.5*64/3) = 533, up to 768
  CHECK(kind(3).dense->size == 300);
  CHECK(kind(0).norms == 2);
  CHECK(kind(1).norms == 1);
  CHECK(kind(2).norms == 1);
  CHECK(kind(2).extra.front().params() == 64 * 64);
}

TEST_CASE("which layers have experts is written in many ways") {
  const auto moe = [](std::string_view type, int layers, std::string_view more) {
    return networks(small(type, layers, std::string(kExperts) + std::string(more)));
  };
  CHECK(moe("qwen3_moe", 3, "") == "EEE");
  CHECK(moe("qwen3_moe", 4, R"(, "first_k_dense_replace": 2)") == "ddEE");
  CHECK(moe("lfm2_moe", 3, R"(, "num_dense_layers": 1, "conv_L_cache": 3, "full_attn_idxs": [0, 1, 2])") == "dEE");
  CHECK(moe("qwen3_moe", 4, R"(, "mlp_only_layers": [0, 3])") == "dEEd");
  CHECK(moe("qwen3_moe", 4, R"(, "decoder_sparse_step": 2)") == "dEdE");
  CHECK(moe("qwen3_moe", 4, R"(, "decoder_sparse_step": 1, "mlp_only_layers": [])") == "EEEE");
  CHECK(moe("llama4_text", 4, R"(, "interleave_moe_layer_step": 2, "attention_chunk_size": 512,
    "intermediate_size_mlp": 128)") == "dEdE");
  CHECK(moe("llama4_text", 4, R"(, "moe_layers": [0], "interleave_moe_layer_step": 2, "attention_chunk_size": 512,
    "intermediate_size_mlp": 128)") == "Eddd");
  CHECK(moe("deepseek_v2", 5, R"(, "moe_layer_freq": 2)") == "EdEdE");
  CHECK(moe("deepseek_v2", 5, R"(, "moe_layer_freq": 2, "first_k_dense_replace": 1)") == "ddEdE");
  CHECK(moe("deepseek_v2", 3, R"(, "moe_layer_freq": 1, "first_k_dense_replace": 1)") == "dEE");
  CHECK(moe("mimo_v2_flash", 3, R"(, "moe_layer_freq": [0, 1, 1], "hybrid_layer_pattern": [0, 0, 0],
    "swa_num_attention_heads": 4, "swa_num_key_value_heads": 2, "swa_head_dim": 16, "sliding_window": 64)") == "dEE");
  CHECK(moe("ernie4_5_moe", 4, R"(, "moe_layer_start_index": 1, "moe_layer_end_index": 2)") == "dEEd");
  CHECK(moe("ernie4_5_moe", 4, R"(, "moe_layer_start_index": 1, "moe_layer_end_index": -1,
    "moe_layer_interval": 1)") == "dEEE");
  check_refused(small("mimo_v2_flash", 3, std::string(kExperts) + R"(, "moe_layer_freq": [0, 1])"), "moe_layer_freq",
                "2 entries for 3 layers");
}

TEST_CASE("experts under their many names") {
  for (const std::string_view keys :
       {R"("num_local_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32)",
        R"("n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32)",
        R"("moe_num_experts": 8, "moe_k": 2, "moe_intermediate_size": 32)",
        R"("num_experts": 8, "num_experts_per_token": 2, "expert_intermediate_size": 32)",
        R"("num_experts": [8, 8], "moe_topk": [2, 2], "moe_ffn_hidden_size": 32)"}) {
    CAPTURE(keys);
    const ReadModel read = read_well(small("mixtral", 2, ", " + std::string(keys)));
    REQUIRE(read.model.experts() != nullptr);
    CHECK(read.model.experts()->count == 8);
    CHECK(read.model.experts()->per_token == 2);
    CHECK(read.model.experts()->size == 32);
  }
  // Mixtral has no size of its own for them
  CHECK(read_well(small("mixtral", 1, R"(, "num_local_experts": 8, "num_experts_per_tok": 2)")).model.experts()->size ==
        128);
  check_refused(small("mixtral", 2, R"(, "num_experts": [8, 4], "moe_topk": 2)"), "num_experts",
                "differs from layer to layer");
  check_refused(small("mixtral", 2, R"(, "num_experts": 8, "moe_topk": [2, 1])"), "moe_topk",
                "differs from layer to layer");
  check_refused(small("mixtral", 2, R"(, "num_experts": 8, "num_experts_per_tok": 9)"), "num_experts_per_tok",
                "9 of 8 experts");
  check_refused(small("mixtral", 2, R"(, "num_experts": 8)"), "num_experts_per_tok", "is missing");
}

TEST_CASE("a window that no sequence can outgrow is none") {
  CHECK(mixers(small("phi3", 2, R"(, "sliding_window": 4096)")) == "FF");
  CHECK(mixers(small("phi3", 2, R"(, "sliding_window": 2047)")) == "SS");
  CHECK(mixers(small("qwen2", 2, R"(, "sliding_window": 1024, "use_sliding_window": false)")) == "FF");
  CHECK(mixers(small("qwen2", 4, R"(, "sliding_window": 1024, "use_sliding_window": true,
    "max_window_layers": 2)")) == "FFSS");
}

TEST_CASE("the last layers of Gemma 4 borrow keys and values, and are twice as wide where the file says so") {
  const ReadModel gemma = read_well(small("gemma4_text", 4, R"(, "sliding_window": 64, "global_head_dim": 32,
    "num_kv_shared_layers": 2, "use_double_wide_mlp": true, "hidden_size_per_layer_input": 0,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"])"));
  CHECK(mixers(gemma.model) == "SFSF");
  for (const std::size_t layer : {0U, 1U, 2U, 3U}) {
    CAPTURE(layer);
    CHECK(grouped(gemma.model, layer).borrows_kv == (layer >= 2));
    CHECK(grouped(gemma.model, layer).head_dim == (layer % 2 == 0 ? 16 : 32));
    CHECK(gemma.model.kinds[gemma.model.order[layer]].dense->size == (layer >= 2 ? 256 : 128));
  }
}

TEST_CASE("every required key is named when it is missing") {
  const std::vector<std::pair<std::string, std::string>> keys = {{"hidden_size", "64"},
                                                                 {"num_attention_heads", "4"},
                                                                 {"intermediate_size", "128"},
                                                                 {"vocab_size", "100"},
                                                                 {"num_hidden_layers", "2"}};
  for (const auto& [missing, unused] : keys) {
    std::string text = R"({"model_type": "llama")";
    for (const auto& [key, value] : keys) {
      if (key != missing) text += ", \"" + key + "\": " + value;
    }
    check_refused(text + "}", "config.json: " + missing, "is missing");
  }
  for (const std::string_view missing : {"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"}) {
    std::string more;
    for (const std::string_view key : {"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"}) {
      if (key != missing) more += ", \"" + std::string(key) + "\": 16";
    }
    if (missing == "kv_lora_rank") continue;  // without it the attention is not latent
    check_refused(small("deepseek_v3", 2, more), missing, "is missing");
  }
  check_refused(small("qwen3_next", 4, R"(, "linear_key_head_dim": 16, "full_attention_interval": 4)"),
                "linear_num_key_heads", "is missing");
  check_refused(small("nemotron_h", 2, R"(, "hybrid_override_pattern": "M-")"), "mamba_num_heads", "is missing");
  check_refused(small("lfm2", 2, R"(, "full_attn_idxs": [0])"), "conv_L_cache", "is missing");
}

TEST_CASE("all that is missing is said at once") {
  const auto result = read(R"({"model_type": "llama", "num_hidden_layers": 2})");
  REQUIRE_FALSE(result);
  CHECK(result.error().size() >= 2);  // hidden_size and vocab_size
}

TEST_CASE("what the family's class knows is used, and said") {
  const ReadModel gemma = read_well(R"({"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
    "num_hidden_layers": 34, "sliding_window": 1024})");
  CHECK(gemma.model.vocabulary == 262'208);
  CHECK(grouped(gemma.model, 0).query_heads == 8);
  CHECK(grouped(gemma.model, 0).kv_heads == 4);
  CHECK(grouped(gemma.model, 0).head_dim == 256);
  CHECK(gemma.model.tied_embeddings);
  for (const std::string_view remark :
       {"vocab_size is not in the file: 262,208 by default", "num_attention_heads is not in the file: 8 by default",
        "num_key_value_heads is not in the file: 4 by default", "head_dim is not in the file: 256 by default",
        "every 6. layer"}) {
    CAPTURE(remark);
    CHECK(says(gemma.model.remarks, remark));
  }
  const ReadModel llama = read_well(R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
    "num_hidden_layers": 1, "intermediate_size": 128, "vocab_size": 100})");
  CHECK(grouped(llama.model, 0).kv_heads == 4);
  CHECK(says(llama.model.remarks, "num_key_value_heads is not in the file: 4 by default"));
  CHECK(says(llama.model.remarks, "tie_word_embeddings is not in the file: false by default"));
  CHECK(says(llama.model.remarks, "torch_dtype is not in the file: bf16 by default"));
  CHECK(says(llama.model.remarks, "does not say how long a context may be"));
  // each once, however many layers ask
  CHECK(std::count(gemma.model.remarks.begin(), gemma.model.remarks.end(),
                   "head_dim is not in the file: 256 by default") == 1);
}

TEST_CASE("nothing is said of a file that says everything") {
  CHECK(read_well(small("llama", 2)).model.remarks.empty());
  CHECK(read_well(small("llama", 2)).model.assumptions.empty());
}

TEST_CASE("an unknown model type is refused by name, with the nearest known ones") {
  const auto result = read(small("qwen33", 2));
  REQUIRE_FALSE(result);
  CHECK(result.error().front().where == "config.json: model_type");
  CHECK(result.error().front().what == "model type \"qwen33\" is not known");
  CHECK(result.error().front().hint.find("qwen3") != std::string::npos);
  CHECK(result.error().front().hint.find(field("assume", "qwen33=TYPE")) != std::string::npos);
  check_refused(R"({"hidden_size": 64})", "model_type", "neither model_type nor architectures");
  check_refused(R"({"architectures": ["NewForCausalLM"]})", "model_type", "\"NewForCausalLM\" is not known");
  check_refused("[1, 2]", "config.json", "a list where a config is expected");
  for (const std::string_view type : {"jamba", "falcon_h1", "zamba2", "rwkv7", "t5", "bert"}) {
    CAPTURE(type);
    check_refused(small(type, 2), "model_type", "\"" + std::string(type) + "\" is not supported");
  }
}

TEST_CASE("an unknown layer type is refused by name, once") {
  const std::string text =
      small("qwen3", 3, R"(, "layer_types": ["full_attention", "quantum_attention", "quantum_attention"])");
  check_refused(text, "layer_types", "layer type \"quantum_attention\" is not supported");
  CHECK(read(text).error().size() == 1);
  CHECK(read(text).error().front().hint.find(field("assume", "quantum_attention=KIND")) != std::string::npos);
  check_refused(small("nemotron_h", 2, R"(, "hybrid_override_pattern": "Q-")"), "hybrid_override_pattern",
                "layer type \"Q\" is not supported");
  // linear attention of a family whose keys do not describe it
  check_refused(small("llama", 1, R"(, "layer_types": ["linear_attention"])"), "layer_types", "linear_attention");
}

TEST_CASE("an assumption stands in for a model type, a layer type or both, and is reported") {
  const ReadModel type = read_well(small("qwen33", 2), {{"qwen33", "qwen3"}});
  CHECK(mixers(type.model) == "FF");
  CHECK(grouped(type.model, 0).query_norm == 16);
  CHECK(type.model.family == "qwen33");
  CHECK(type.model.assumptions == std::vector<std::string>{"assumed, as you said: qwen33 is qwen3"});

  const std::string layers =
      small("qwen33", 2, R"(, "sliding_window": 64, "layer_types": ["quantum", "full_attention"])");
  const ReadModel both = read_well(layers, {{"qwen33", "qwen3"}, {"quantum", "sliding"}});
  CHECK(mixers(both.model) == "SF");
  CHECK(both.model.assumptions.size() == 2);

  check_refused(layers, "layer_types", "\"quantum\" is not supported", {{"qwen33", "qwen3"}});
  check_refused(layers, "layer_types", "\"quantum\" is not supported", {{"qwen33", "qwen3"}, {"quantum", "nonsense"}});
  check_refused(layers, "model_type", "\"qwen33\" is not known", {{"quantum", "sliding"}});
}

TEST_CASE("an assumption that nothing needs is named, with the reason") {
  const auto why = [](const std::string& name, const std::string& meant, std::string_view more = "") {
    const auto unneeded = read_well(small("llama", 2, more), {{name, meant}}).unneeded;
    REQUIRE(unneeded.contains(name));
    CHECK(unneeded.at(name).where == "assume");
    return unneeded.at(name).what;
  };
  CHECK(why("quantum", "full") == "nothing in config.json is called \"quantum\"");
  CHECK(why("num_ghosts", "ignored") == "nothing in config.json is called \"num_ghosts\"");
  CHECK(why("hidden_size", "ignored") == "hidden_size is read: it cannot be ignored");
  CHECK(why("num_beams", "ignored", R"(, "num_beams": 4)") == "num_beams is known, and changes no size");
}

TEST_CASE("a key that says structure and that nobody reads is an error, with its value and a way past it") {
  const std::vector<std::pair<std::string, std::string>> keys = {{"num_shadow_heads", "4"},
                                                                 {"shadow_rank", "16"},
                                                                 {"shadow_dim", "8"},
                                                                 {"shadow_layer_types", "[\"a\"]"},
                                                                 {"shadow_interval", "2"},
                                                                 {"attention_shadow_type", "\"deep\""},
                                                                 {"n_shadows", "3"},
                                                                 {"shadow_layers", "[1, 2]"},
                                                                 {"use_shadow_attention", "true"},
                                                                 {"shadowHeads", "2"},
                                                                 {"shadow_config", "{\"num_heads\": 4}"}};
  for (const auto& [key, value] : keys) {
    CAPTURE(key);
    const std::string text = small("llama", 2, ", \"" + key + "\": " + value);
    const auto refused = read(text);
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().size() == 1);
    const Error& error = refused.error().front();
    CHECK(error.where.starts_with("config.json: " + key));
    const std::string path = error.where.substr(std::string("config.json: ").size());
    CHECK(error.hint.find(field("assume", path + "=ignored")) != std::string::npos);
    const ReadModel read = read_well(text, {{path, "ignored"}});
    CHECK(read.unneeded.empty());
    CHECK(read.model.assumptions == std::vector<std::string>{"assumed, as you said: " + path + " is ignored"});
  }
  check_refused(small("llama", 2, R"(, "num_shadow_heads": 4)"), "num_shadow_heads", "is 4,");
  // an object stands for all that is in it
  const std::string object = small("llama", 2, R"(, "shadows": {"num_heads": 4, "deep": {"rank": 8}})");
  check_refused(object, "shadows.deep.rank", "is 8,");
  const ReadModel read = read_well(object, {{"shadows", "ignored"}});
  CHECK(read.unneeded.empty());
  CHECK(read.model.assumptions == std::vector<std::string>{"assumed, as you said: shadows is ignored"});
}

TEST_CASE("a nested language model is judged like a plain one, and a tower is not") {
  const auto nested = [](std::string_view text, std::string_view tower) {
    return R"({"model_type": "x", "text_config": )" + small("llama", 2, text) + R"(, "other_config": {"num_layers": 3},
      "vision_config": {"model_type": "unheard_of", "num_layers": 2)" +
           std::string(tower) + "}}";
  };
  check_refused(nested(R"(, "num_shadow_heads": 4)", ""), "text_config.num_shadow_heads", "is 4,");
  CHECK(mixers(nested("", R"(, "num_shadow_heads": 4)")) == "FF");
  // the key alone will do
  CHECK(read_well(nested(R"(, "num_shadow_heads": 4)", ""), {{"num_shadow_heads", "ignored"}}).unneeded.empty());
}

TEST_CASE("what is null, false, 0 or empty says that something is not there") {
  for (const std::string_view value : {"null", "false", "0", "0.0", "\"\"", "[]", "{}", "[0, 0]", "[null]"}) {
    CAPTURE(value);
    CHECK(mixers(small("llama", 2, ", \"num_shadow_heads\": " + std::string(value))) == "FF");
  }
}

TEST_CASE("keys of experts without their number are an error, with none they are settled") {
  constexpr std::string_view kRest = R"("num_experts_per_tok": 2, "moe_intermediate_size": 32)";
  check_refused(small("qwen3", 2, ", " + std::string(kRest)), "num_experts_per_tok", "is 2,");
  CHECK(networks(small("qwen3", 2, R"(, "num_experts": 0, )" + std::string(kRest))) == "dd");
}

TEST_CASE("quantization keys that are not known are an error too") {
  const auto with = [](std::string_view more) {
    return small("llama", 1, R"(, "quantization_config": {"quant_method": "fp8")" + std::string(more) + "}");
  };
  CHECK(mixers(with(R"(, "activation_scheme": "dynamic", "fmt": "e4m3")")) == "F");
  check_refused(with(R"(, "outlier_bits": 12)"), "quantization_config.outlier_bits", "is 12,");
  CHECK(read_well(with(R"(, "outlier_bits": 12)"), {{"quantization_config.outlier_bits", "ignored"}}).unneeded.empty());
}

TEST_CASE("a value of the wrong kind is refused, with its key") {
  const auto with = [](std::string_view key, std::string_view value) {
    return R"({"model_type": "llama", "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100, )"
           R"("hidden_size": 64, "num_hidden_layers": 2, ")" +
           std::string(key) + "\": " + std::string(value) + "}";
  };
  const std::string heads = "num_key_value_heads";
  check_refused(with(heads, "\"2\""), heads, "\"2\" where a whole number is expected");
  check_refused(with(heads, "-2"), heads, "-2 is not a whole number");
  check_refused(with(heads, "1.5"), heads, "1.5 is not a whole number");
  check_refused(with(heads, "0"), heads, "0 is not a whole number from 1");
  check_refused(with(heads, "1e300"), heads, "is not a whole number");
  check_refused(with(heads, "NaN"), heads, "\"NaN\" where a whole number is expected");
  check_refused(with(heads, "[2]"), heads, "a list where a whole number is expected");
  check_refused(with(heads, "{}"), heads, "where a whole number is expected");
  check_refused(with(heads, "true"), heads, "where a whole number is expected");
  check_refused(with(heads, "8"), heads, "8 for 4 query heads");
  check_refused(with("tie_word_embeddings", "\"no\""), "tie_word_embeddings", "where true or false is expected");
  check_refused(with("torch_dtype", "\"int3\""), "torch_dtype", "number format \"int3\" is not known");
  check_refused(with("torch_dtype", "16"), "torch_dtype", "where a text is expected");
  check_refused(with("layer_types", "\"full\""), "layer_types", "a list of texts is expected");
  check_refused(with("layer_types", "[1, 2]"), "layer_types", "a list of texts is expected");
  check_refused(with("layer_types", R"(["full"])"), "layer_types", "1 entries for 2 layers");
  check_refused(with("block_configs", "[1, 2]"), "block_configs", "a list of objects is expected");
  check_refused(with("attn_type_list", "[1]"), "attn_type_list", "1 entries for 2 layers");
  check_refused(with("hybrid_layer_pattern", "[1, 2, 3]"), "hybrid_layer_pattern", "3 entries for 2 layers");
}

TEST_CASE("null is as good as absent") {
  CHECK(grouped(read_well(small("llama", 1, R"(, "sliding_window": null, "rope_scaling": null)")).model, 0).window ==
        kUnlimited);
}

TEST_CASE("a model has between 1 and 10,000 layers") {
  const auto layers = [](std::string_view count) {
    return R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128,
      "vocab_size": 100, "num_hidden_layers": )" +
           std::string(count) + "}";
  };
  check_refused(layers("1e9"), "num_hidden_layers", "1e+09 layers");
  check_refused(layers("0"), "num_hidden_layers", "0 layers");
  check_refused(layers("-1"), "num_hidden_layers", "-1 is not a whole number");
  check_refused(layers("2.5"), "num_hidden_layers", "2.5 is not a whole number");
  check_refused(layers("\"32\""), "num_hidden_layers", "\"32\" where a whole number is expected");
  if (!kBrief) CHECK(read_well(layers("10000")).model.layers() == 10'000);
}

TEST_CASE("no size makes a count infinite or a crash") {
  for (const std::string_view key : {"hidden_size", "num_attention_heads", "intermediate_size", "vocab_size",
                                     "num_key_value_heads", "head_dim", "sliding_window", "num_nextn_predict_layers"}) {
    for (const std::string_view value : {"1e12", "999999999999", "1", "0", "1e13", "-0", "3.5", "[]", "{}", "\"\""}) {
      const std::string text = R"({"model_type": "deepseek_v3", "num_hidden_layers": 2, ")" + std::string(key) +
                               "\": " + std::string(value) + (key == "hidden_size" ? "" : R"(, "hidden_size": 64)") +
                               (key == "num_attention_heads" ? "" : R"(, "num_attention_heads": 4)") +
                               (key == "intermediate_size" ? "" : R"(, "intermediate_size": 128)") +
                               (key == "vocab_size" ? "" : R"(, "vocab_size": 100)") + "}";
      CAPTURE(text);
      const auto result = read(text);
      if (result) CHECK(std::isfinite(count_parameters(result->model).stored()));
    }
  }
}

TEST_CASE("keys that nobody needed are listed, those of inner objects by their path") {
  const ReadModel llama = read_well(small("llama", 1, R"(, "rope_theta": 10000.0, "hidden_act": "silu",
    "quantization_config": {"quant_method": "fp8", "activation_scheme": "dynamic"})"));
  CHECK(llama.unread == std::vector<std::string>{"rope_theta", "hidden_act", "quantization_config.activation_scheme"});
  const ReadModel nested = read_well(R"({"model_type": "mistral3", "bos_token_id": 1, "text_config": )" +
                                     small("mistral", 1, R"(, "rope_theta": 1)") + "}");
  CHECK(nested.unread == std::vector<std::string>{"bos_token_id", "text_config.rope_theta"});
}

TEST_CASE("the language model is found inside text_config, llm_config and language_config") {
  for (const std::string key : {"text_config", "llm_config", "language_config"}) {
    CAPTURE(key);
    const ReadModel outer = read_well(R"({"model_type": "some_wrapper", ")" + key + "\": " + small("llama", 2) + "}");
    CHECK(mixers(outer.model) == "FF");
    CHECK(outer.model.family == "llama");
  }
  // the outer word on tying counts
  CHECK(read_well(R"({"model_type": "x", "tie_word_embeddings": true, "text_config": )" + small("llama", 1) + "}")
            .model.tied_embeddings);
}

TEST_CASE("a family is found by its architecture where model_type is new") {
  const ReadModel phi = read_well(small("phi4", 1, R"(, "architectures": ["Phi3ForCausalLM"])"));
  CHECK(phi.model.family == "phi4");
  CHECK(mixers(phi.model) == "F");
}

TEST_CASE("prediction modules are counted apart, and not where the release has none") {
  const std::string mtp = R"(, "num_nextn_predict_layers": 1)";
  const ParameterParts with = count_parameters(read_well(small("mimo", 2, mtp)).model);
  const ParameterParts without = count_parameters(read_well(small("mimo", 2)).model);
  CHECK(with.total() == without.total());
  // one layer with biases of q, k and v, a projection of 2*64 to 64 and three norms
  CHECK(with[Part::mtp] == (12'288 + 16 * 8 + 24'576 + 128) + 2 * 64 * 64 + 3 * 64);
  const ReadModel minimax =
      read_well(small("minimax_m2", 1, std::string(kExperts) + R"(, "num_mtp_modules": 3, "use_mtp": true)"));
  CHECK(count_parameters(minimax.model)[Part::mtp] == 0);
  CHECK(says(minimax.model.remarks, "3 multi-token-prediction modules; the released tensors hold none"));
  const ReadModel next = read_well(small("qwen3_next", 4, std::string(kDelta) + R"(, "full_attention_interval": 4)"));
  CHECK(next.model.mtp_order.size() == 1);
  CHECK(says(next.model.remarks, "1 multi-token-prediction modules, as released"));
  check_refused(small("mimo", 2, R"(, "num_nextn_predict_layers": 1000)"), "num_nextn_predict_layers", "1000 modules");
}

TEST_CASE("dense families outside the sample have exactly their published parameters") {
  const std::string untied = R"(, "tie_word_embeddings": false)", tied = R"(, "tie_word_embeddings": true)";
  check_total("OLMo-2-1124-7B", sized("olmo2", {100352, 4096, 11008, 32, 32, 32}), 7'298'617'344);
  check_total("phi-4", sized("phi3", {100352, 5120, 17920, 40, 40, 10}), 14'659'507'200);
  check_total("SmolLM3-3B", sized("smollm3", {128256, 2048, 11008, 36, 16, 4}, R"(, "use_sliding_window": false,
    "sliding_window": null, "no_rope_layers": [)" + repeated("1, 1, 1, 0", 9) + R"(], "no_rope_layer_interval": 4,
    "layer_types": [)" + repeated(R"("full_attention")", 36) + "]"),
              3'075'098'624);
  check_total("granite-3.3-8b", sized("granite", {49159, 4096, 12800, 40, 32, 8}, tied), 8'170'864'640);
  check_total("granite-3.3-2b", sized("granite", {49159, 2048, 8192, 40, 32, 8}, tied), 2'533'539'840);
  check_total("Mistral-Nemo", sized("mistral", {131072, 5120, 14336, 40, 32, 8}, R"(, "head_dim": 128)"),
              12'247'782'400);
  check_total("Ministral-8B", sized("mistral", {131072, 4096, 12288, 36, 32, 8}, R"(, "sliding_window": 32768)"),
              8'019'808'256);
  check_total("GLM-4-9B-0414",
              sized("glm4", {151552, 4096, 13696, 40, 32, 2}, R"(, "head_dim": 128, "attention_bias": true)"),
              9'400'279'040);
  check_total("Seed-OSS-36B", sized("seed_oss", {155136, 5120, 27648, 64, 80, 8}, R"(, "head_dim": 128,
    "attention_bias": true, "attention_out_bias": false, "mlp_bias": false)"),
              36'151'104'512);
  check_total("EXAONE-4.0-32B", sized("exaone4", {102400, 5120, 27392, 64, 40, 8}, R"(, "sliding_window": 4096,
    "sliding_window_pattern": "LLLG")"),
              32'003'216'384);
  check_total("EXAONE-4.0-1.2B", sized("exaone4", {102400, 2048, 4096, 30, 32, 8}, R"(, "head_dim": 64,
    "sliding_window": null)" + tied),
              1'279'391'488);
  check_total("starcoder2-15b", sized("starcoder2", {49152, 6144, 24576, 40, 48, 4}, R"(, "use_bias": true,
    "sliding_window": 4096)" + untied),
              15'957'889'024);
  check_total("starcoder2-7b", sized("starcoder2", {49152, 4608, 18432, 32, 36, 4}, R"(, "use_bias": true)"),
              7'173'923'840);
  check_total("c4ai-command-r-v01", sized("cohere", {256000, 8192, 22528, 40, 64, 64}, R"(, "use_qk_norm": false)"),
              34'980'831'232);
  // by hand: 256,000*12,288 + 64*(12,288*128*208 + 3*12,288*33,792 + 12,288 + 104*128) + 12,288
  check_total("c4ai-command-r-plus", sized("cohere", {256000, 12288, 33792, 64, 96, 8}, R"(, "use_qk_norm": true)"),
              103'810'674'688);
  check_total("c4ai-command-r7b", sized("cohere2", {256000, 4096, 14336, 32, 32, 8}, R"(, "sliding_window": 4096,
    "sliding_window_pattern": 4)"),
              8'028'033'024);
  check_total("command-a", sized("cohere2", {256000, 12288, 36864, 64, 96, 8}, R"(, "head_dim": 128)"),
              111'057'580'032);
  check_total("Minitron-4B", sized("nemotron", {256000, 3072, 9216, 32, 24, 8}, R"(, "head_dim": 128)"), 4'190'509'056);
  check_total("Apertus-8B", sized("apertus", {131072, 4096, 21504, 32, 32, 8}), 8'053'338'176);
  check_total("ERNIE-4.5-0.3B", sized("ernie4_5", {103424, 1024, 3072, 18, 16, 2}, R"(, "head_dim": 128,
    "use_bias": false)"),
              360'748'032);
  check_total("Baichuan2-7B", sized("baichuan", {125696, 4096, 11008, 32, 32}), 7'505'973'248);
  check_total("internlm2_5-7b", sized("internlm2", {92544, 4096, 14336, 32, 32, 8}, R"(, "bias": false)"),
              7'737'708'544);
  check_total("internlm3-8b", sized("internlm3", {128512, 4096, 10240, 48, 32, 2}, R"(, "head_dim": 128,
    "bias": false, "qkv_bias": false)"),
              8'804'241'408);
  check_total("Yi-34B", sized("llama", {64000, 7168, 20480, 60, 56, 8}), 34'388'917'248);
  check_total("stablelm-3b-4e1t", sized("stablelm", {50304, 2560, 6912, 32, 32, 32}, R"(, "use_qkv_bias": false,
    "use_parallel_residual": false)"),
              2'795'443'200);
  // by hand: 2*100,352*2,048 + 24*(4*2,048^2 + 3*2,048 + 3*2,048*5,632 + 4*2,048) + 2*2,048
  check_total("stablelm-2-1_6b", sized("stablelm", {100352, 2048, 5632, 24, 32, 32}, R"(, "use_qkv_bias": true,
    "use_parallel_residual": false)"),
              1'644'515'328);
  // by hand: 2*151,552*4,096 + 40*(4,096*128*68 + 128*36 + 3*4,096*13,696 + 2*4,096) + 4,096
  check_total("glm-4-9b-chat-hf", sized("glm", {151552, 4096, 13696, 40, 32, 2}, R"(, "head_dim": 128,
    "attention_bias": true)"),
              9'399'951'360);
  // norms without weights, and so none at the end: 2 x 50,304 x 4,096 + 32 x (4 x 4,096^2 + 3 x 4,096 x 11,008)
  check_total("OLMo-7B", sized("olmo", {50304, 4096, 11008, 32, 32, 32}, untied), 6'888'095'744);
  // a bias on everything, the head included, and one norm a layer
  check_total("phi-2", sized("phi", {51200, 2560, 10240, 32, 32, 32}, untied), 2'779'683'840);
  check_total("StableLM-2-12B", sized("stablelm", {100352, 5120, 13824, 40, 32, 8}, R"(, "qk_layernorm": true,
    "use_parallel_residual": true, "use_qkv_bias": false)" + untied),
              12'143'185'920);
  check_total("Falcon-7B",
              R"({"model_type": "falcon", "vocab_size": 65024, "hidden_size": 4544, "num_hidden_layers": 32,
    "num_attention_heads": 71, "multi_query": true, "parallel_attn": true, "bias": false,
    "new_decoder_architecture": false, "torch_dtype": "bfloat16"})",
              6'921'720'704);
  check_total("Falcon-40B",
              R"({"model_type": "falcon", "vocab_size": 65024, "hidden_size": 8192, "num_hidden_layers": 60,
    "num_attention_heads": 128, "num_kv_heads": 8, "parallel_attn": true, "bias": false,
    "new_decoder_architecture": true, "torch_dtype": "bfloat16"})",
              41'303'293'952);
  check_refused(sized("opt", {50272, 1024, 4096, 24, 16, 16}, R"(, "word_embed_proj_dim": 512)" + tied),
                "word_embed_proj_dim", "another width");
  check_total("gemma-2b", sized("gemma", {256000, 2048, 16384, 18, 8, 1}, R"(, "head_dim": 256)"), 2'506'172'416);
  check_total("gemma-2-9b", sized("gemma2", {256000, 3584, 14336, 42, 16, 8}, R"(, "head_dim": 256)"), 9'241'705'984);
  check_total("gemma-2-27b", sized("gemma2", {256000, 4608, 36864, 46, 32, 16}, R"(, "head_dim": 128)"),
              27'227'128'320);
}

TEST_CASE("families from before Llama keep their own key names, biases and position tables") {
  check_total("gpt2", R"({"model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 12, "n_head": 12,
    "n_positions": 1024, "n_ctx": 1024})",
              124'439'808);
  check_total("gpt-neox-20b", sized("gpt_neox", {50432, 6144, 24576, 44, 64}), 20'554'567'680);
  check_total("opt-6.7b", R"({"model_type": "opt", "vocab_size": 50272, "hidden_size": 4096, "ffn_dim": 16384,
    "num_hidden_layers": 32, "num_attention_heads": 32, "max_position_embeddings": 2048,
    "word_embed_proj_dim": 4096})",
              6'658'473'984);
  check_total("bloom-7b1", R"({"model_type": "bloom", "vocab_size": 250880, "hidden_size": 4096, "n_layer": 30,
    "n_head": 32, "seq_length": 2048})",
              7'069'016'064);
}

TEST_CASE("mixtures of experts outside the sample have exactly their published parameters") {
  const std::string untied = R"(, "tie_word_embeddings": false)", tied = R"(, "tie_word_embeddings": true)";
  const std::string qwen = sized("qwen2_moe", {151936, 2048, 5632, 24, 16, 16}, R"(, "num_experts": 60,
    "num_experts_per_tok": 4, "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632,
    "decoder_sparse_step": 1, "use_sliding_window": false, "sliding_window": 32768, "max_window_layers": 21)");
  check_total("Qwen1.5-MoE-A2.7B", qwen, 14'315'784'192);
  CHECK(active_parameters(read_well(qwen).model) == 2'689'173'504);
  const auto ling = [](std::vector<int> sizes, std::string_view more) {
    return sized("bailing_moe_v2", std::move(sizes),
                 R"(, "head_dim": 128, "num_experts": 256, "use_qk_norm": true,
      "num_experts_per_tok": 8, "num_shared_experts": 1, "moe_router_enable_expert_bias": true, "n_group": 8,
      "topk_group": 4, "use_bias": false, "use_qkv_bias": false, "num_nextn_predict_layers": 0)" +
                     std::string(more));
  };
  check_total("Ling-mini-2.0", ling({157184, 2048, 5120, 20, 16, 4}, R"(, "moe_intermediate_size": 512,
    "moe_shared_expert_intermediate_size": 512, "first_k_dense_replace": 1)"),
              16'255'643'392);
  check_total("Ling-flash-2.0", ling({157184, 4096, 9216, 32, 32, 4}, R"(, "moe_intermediate_size": 1024,
    "moe_shared_expert_intermediate_size": 1024, "first_k_dense_replace": 1)"),
              102'889'705'216);
  check_total("Ling-1T", ling({157184, 8192, 18432, 80, 64, 8}, R"(, "moe_intermediate_size": 2048,
    "moe_shared_expert_intermediate_size": 2048, "first_k_dense_replace": 4)"),
              999'705'328'640);
  const std::string phi = sized("phimoe", {32064, 4096, 6400, 32, 32, 8}, R"(, "num_local_experts": 16,
    "num_experts_per_tok": 2, "attention_bias": true, "lm_head_bias": true, "sliding_window": 131072)");
  check_total("Phi-3.5-MoE", phi, 41'873'153'344);
  CHECK(active_parameters(read_well(phi).model) == 6'640'999'744);
  check_total("ERNIE-4.5-21B-A3B",
              sized("ernie4_5_moe", {103424, 2560, 12288, 28, 20, 4},
                    R"(, "head_dim": 128,
    "moe_num_experts": 64, "moe_k": 6, "moe_num_shared_experts": 2, "moe_intermediate_size": 1536,
    "moe_layer_start_index": 1, "moe_layer_end_index": 27, "moe_layer_interval": 1, "use_bias": false)" +
                        tied),
              21'825'437'888);
  check_total("ERNIE-4.5-300B-A47B",
              sized("ernie4_5_moe", {103424, 8192, 28672, 54, 64, 8},
                    R"(, "head_dim": 128,
    "moe_num_experts": 64, "moe_k": 8, "moe_num_shared_experts": 0, "moe_intermediate_size": 3584,
    "moe_layer_start_index": 3, "moe_layer_end_index": 53, "moe_layer_interval": 1, "use_bias": false)" +
                        untied),
              299'484'163'264);
  // one number a layer where others have one number; 80 B, 13 B of them active
  const auto each = [](const char* number) { return "[" + joined(std::vector<std::string>(32, number), ", ") + "]"; };
  check_total("Hunyuan-A13B",
              sized("hunyuan_v1_moe", {128167, 4096, 3072, 32, 32, 8},
                    R"(, "head_dim": 128, "num_experts": 64, "moe_topk": )" + each("8") + R"(, "num_shared_expert": )" +
                        each("1") + R"(, "moe_intermediate_size": )" + each("3072") + tied),
              80'393'183'232);
  check_total("dots.llm1", sized("dots1", {152064, 4096, 10944, 62, 32, 32}, R"(, "n_routed_experts": 128,
    "num_experts_per_tok": 6, "n_shared_experts": 2, "moe_intermediate_size": 1408, "first_k_dense_replace": 1,
    "sliding_window": null, "max_window_layers": 62, "topk_method": "noaux_tc")"),
              142'774'381'696);
  check_total("granite-3.1-3b-a800m", sized("granitemoe", {49155, 1536, 512, 32, 24, 8}, R"(, "num_local_experts": 40,
    "num_experts_per_tok": 8)" + tied),
              3'298'793'472);
  check_total("GLM-4.5-Air", sized("glm4_moe", {151552, 4096, 10944, 46, 96, 8}, R"(, "head_dim": 128,
    "attention_bias": true, "use_qk_norm": false, "n_routed_experts": 128, "num_experts_per_tok": 8,
    "n_shared_experts": 1, "moe_intermediate_size": 1408, "first_k_dense_replace": 1,
    "num_nextn_predict_layers": 1)"),
              110'468'824'832);
  check_total("DeepSeek-V2", sized("deepseek_v2", {102400, 5120, 12288, 60, 128, 128}, R"(, "q_lora_rank": 1536,
    "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 160,
    "num_experts_per_tok": 6, "n_shared_experts": 2, "moe_intermediate_size": 1536, "first_k_dense_replace": 1,
    "moe_layer_freq": 1, "topk_method": "group_limited_greedy", "n_group": 8, "topk_group": 3)"),
              235'741'434'880);
  // by hand: 2*102,400*2,048 + 28*4*2,048^2 + 57*2,048 + 3*2,048*10,944 + 27*(66*3*2,048*1,408 + 64*2,048)
  check_total("deepseek-moe-16b", sized("deepseek", {102400, 2048, 10944, 28, 16, 16}, R"(, "n_routed_experts": 64,
    "num_experts_per_tok": 6, "n_shared_experts": 2, "moe_intermediate_size": 1408, "first_k_dense_replace": 1,
    "moe_layer_freq": 1)"),
              16'375'728'128);
  // by hand: 50,304*2*2,048 + 2,048 + 16*(4*2,048^2 + 2*2,048 + 2*2,048 + 64*2,048 + 64*3*2,048*1,024)
  check_total("OLMoE-1B-7B", sized("olmoe", {50304, 2048, 1024, 16, 16, 16}, R"(, "num_experts": 64,
    "num_experts_per_tok": 8)"),
              6'919'161'856);
}

TEST_CASE("hybrids outside the sample have exactly their published parameters") {
  const std::string tied = R"(, "tie_word_embeddings": true)";
  std::string granite_layers = repeated(R"("mamba")", 40);
  for (const int at : {5, 15, 25, 35}) {
    std::size_t position = 0;
    for (int i = 0; i < at; ++i) position = granite_layers.find(',', position) + 1;
    granite_layers.replace(granite_layers.find("\"mamba\"", position), 7, "\"attention\"");
  }
  const std::string granite =
      sized("granitemoehybrid", {100352, 4096, 768, 40, 32, 8},
            R"(, "layer_types": [)" + granite_layers +
                R"(], "mamba_expand": 2, "mamba_n_heads": 128, "mamba_d_head": 64, "mamba_n_groups": 1,
    "mamba_d_state": 128, "mamba_d_conv": 4, "mamba_conv_bias": true, "mamba_proj_bias": false,
    "num_local_experts": 72, "num_experts_per_tok": 10, "shared_intermediate_size": 1536,
    "attention_bias": false)" +
                tied);
  check_total("granite-4.0-h-small", granite, 32'207'337'984);
  CHECK(active_parameters(read_well(granite).model) == 8'803'121'664);
  check_total("Nemotron-Nano-9B-v2", sized("nemotron_h", {131072, 4480, 15680, 56, 40, 8}, R"(, "head_dim": 128,
    "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-", "mamba_num_heads": 128,
    "mamba_head_dim": 80, "n_groups": 8, "ssm_state_size": 128, "use_conv_bias": true, "conv_kernel": 4,
    "use_bias": false, "mlp_bias": false)"),
              8'888'227'328);
  const std::string kimi = sized("kimi_linear", {163840, 2304, 9216, 27, 32, 32}, R"(, "kv_lora_rank": 512,
    "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "head_dim": 72,
    "num_experts": 256, "num_experts_per_token": 8, "num_shared_experts": 1, "moe_intermediate_size": 1024,
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "num_nextn_predict_layers": 0, "linear_attn_config":
    {"full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "kda_layers": [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18,
    19, 21, 22, 23, 25, 26], "head_dim": 128, "num_heads": 32, "short_conv_kernel_size": 4})");
  check_total("Kimi-Linear-48B-A3B", kimi, 49'122'681'728);
  CHECK(active_parameters(read_well(kimi).model) == 3'484'459'904);
  check_total("LFM2-1.2B", R"({"model_type": "lfm2", "vocab_size": 65536, "hidden_size": 2048, "block_dim": 2048,
    "block_ff_dim": 12288, "block_auto_adjust_ff_dim": true, "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256,
    "num_hidden_layers": 16, "num_attention_heads": 32, "num_heads": 32, "num_key_value_heads": 8, "conv_L_cache": 3,
    "conv_bias": false, "full_attn_idxs": [2, 5, 8, 10, 12, 14], "max_position_embeddings": 128000})",
              1'170'340'608);
  // by hand: 65,536*2,048 + 49*2,048 + 6*10,485,888 (attention) + 18*16,783,360 (convolutions) + 2*3*2,048*7,168
  // + 22*(32*2,048 + 32 + 32*3*2,048*1,792)
  check_total("LFM2-8B-A1B", sized("lfm2_moe", {65536, 2048, 7168, 24, 32, 8}, R"(, "conv_L_cache": 3,
    "conv_bias": false, "num_dense_layers": 2, "num_experts": 32, "num_experts_per_tok": 4,
    "moe_intermediate_size": 1792, "use_expert_bias": true, "full_attn_idxs": [2, 6, 10, 14, 18, 21])"),
              8'339'930'560);
  const std::string minimax = sized("minimax_text_01", {200064, 6144, 9216, 80, 64, 8},
                                    R"(, "head_dim": 128,
    "num_local_experts": 32, "num_experts_per_tok": 2, "shared_intermediate_size": 0, "attn_type_list": [)" +
                                        repeated("0, 0, 0, 0, 0, 0, 0, 1", 10) + "]");
  check_total("MiniMax-Text-01", minimax, 456'089'655'296);
  CHECK(active_parameters(read_well(minimax).model) == 48'403'306'496);
  check_total("Bamba-9B", sized("bamba", {128256, 4096, 14336, 32, 32, 8}, R"(, "attn_layer_indices": [9, 18, 27],
    "mamba_expand": 2, "mamba_n_heads": 128, "mamba_d_head": "auto", "mamba_n_groups": 1, "mamba_d_state": 128,
    "mamba_d_conv": 4, "mamba_conv_bias": true, "mamba_proj_bias": false)"),
              9'780'235'392);
}

TEST_CASE("Gemma 3n's many small tensors are all counted") {
  // text of E4B and E2B: 7,849,978,192 and 5,439,438,272 less towers of 681,348,640 + 3,345,408 + 4,460,544 + 294,126,912
  const auto gemma = [](int layers, std::string_view size, int shared) {
    return R"({"model_type": "gemma3n_text", "hidden_size": 2048, "intermediate_size": [)" + repeated(size, layers) +
           R"(], "num_hidden_layers": )" + std::to_string(layers) + R"(, "num_attention_heads": 8,
           "num_key_value_heads": 2, "head_dim": 256, "vocab_size": 262400, "vocab_size_per_layer_input": 262144,
           "hidden_size_per_layer_input": 256, "altup_num_inputs": 4, "laurel_rank": 64, "sliding_window": 512,
           "max_position_embeddings": 32768, "num_kv_shared_layers": )" +
           std::to_string(shared) + "}";
  };
  check_total("gemma-3n-E4B", gemma(35, "16384", 15), 6'866'696'688);
  check_total("gemma-3n-E2B", gemma(30, "8192", 10), 4'456'156'768);
  CHECK(mixers(gemma(10, "8192", 0)) == "SSSSFSSSSF");
}

TEST_CASE("models that see have exactly their published parameters, tower included") {
  const std::string siglip = R"(, "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152,
    "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 896, "patch_size": 14,
    "vision_use_head": false}})";
  const auto gemma = [&](std::string_view text) {
    return R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "sliding_window": 1024, )" +
           std::string(text) + "}" + siglip;
  };
  check_total("gemma-3-4b", gemma(R"("hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34)"),
              4'300'079'472);
  check_total("gemma-3-12b", gemma(R"("hidden_size": 3840, "intermediate_size": 15360, "num_hidden_layers": 48,
    "num_attention_heads": 16, "num_key_value_heads": 8)"),
              12'187'325'040);
  check_total("gemma-3-27b", gemma(R"("hidden_size": 5376, "intermediate_size": 21504, "num_hidden_layers": 62,
    "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128)"),
              27'432'406'640);
  const std::string maverick =
      R"({"model_type": "llama4", "text_config": )" +
      sized("llama4_text", {202048, 5120, 8192, 48, 40, 8}, R"(, "head_dim": 128, "intermediate_size_mlp": 16384,
      "num_local_experts": 128, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "attention_chunk_size": 8192,
      "no_rope_layers": [], "tie_word_embeddings": false)") +
      R"(, "vision_config": {"model_type": "llama4_vision_model", "hidden_size": 1408, "image_size": 336,
      "intermediate_size": 5632, "num_channels": 3, "num_hidden_layers": 34, "patch_size": 14,
      "projector_input_dim": 4096, "projector_output_dim": 4096, "vision_output_dim": 4096}})";
  check_total("Llama-4-Maverick", maverick, 401'583'781'376);
  CHECK(active_parameters(read_well(maverick).model) == 17'184'691'200);
  check_total("Mistral-Small-3.1",
              R"({"model_type": "mistral3", "multimodal_projector_bias": false,
    "spatial_merge_size": 2, "vision_feature_layer": -1, "text_config": )" +
                  sized("mistral", {131072, 5120, 32768, 40, 32, 8}, R"(, "head_dim": 128)") +
                  R"(, "vision_config": {"model_type": "pixtral", "hidden_size": 1024, "intermediate_size": 4096,
    "num_channels": 3, "num_hidden_layers": 24, "num_attention_heads": 16, "patch_size": 14}})",
              24'011'361'280);
}

TEST_CASE("one expert is a plain network, and heads may differ from layer to layer") {
  const Model plain = read_well(small("mixtral", 2, R"(, "num_local_experts": 1, "num_experts_per_tok": 1)")).model;
  CHECK(plain.experts() == nullptr);
  CHECK(count_parameters(plain)[Part::dense_ffn] == 2 * 3 * 64 * 128);
  // 16 x 64 x (2 x 4 + 2 x K) for K = 2 and 1
  const Model heads = read_well(small("llama", 2, R"(, "num_key_value_heads_per_layer": [2, 1])")).model;
  CHECK(count_parameters(heads)[Part::attention] == 16 * 64 * ((8 + 4) + (8 + 2)));
}

TEST_CASE("neighbors that share one cache keep it once") {
  // Hunyuan-Large: every second layer has neither keys nor values of its own
  const Model shared = read_well(small("hunyuan_v1_dense", 4, R"(, "use_cla": true, "cla_share_factor": 2)")).model;
  const ContextTerms terms = context_terms(shared);
  CHECK(stored_elements(terms, Held::kv, 10) == 2 * (2 * 2 * 16) * 10);
  CHECK(read_elements(terms, Held::kv, 10) == 4 * (2 * 2 * 16) * 10);
}

}  // namespace hf_config_test
