// Does every tensor of a real checkpoint land in its part, and do packed formats count what the model has?

#include "catalog/checkpoint/tensor_parts.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/checkpoint/safetensors.hpp"
#include "processor_time.hpp"

namespace tensor_parts_test {

using namespace ridge;
using catalog::count_tensors;
using catalog::CountedTensors;
using catalog::part_of_tensor;
using catalog::TensorTable;

namespace {

/// Writes a safetensors header tensor by tensor, one behind the other, and reads it with the reader under test.
class HeaderWriter {
 public:
  HeaderWriter& add(const std::string& name, const std::string& type, const std::vector<int>& shape) {
    const std::uint64_t bits = type.starts_with("F4") ? 4
                               : type.ends_with("64") ? 64
                               : type.ends_with("32") ? 32
                               : type.ends_with("16") ? 16
                                                      : 8;
    std::uint64_t elements = 1;
    for (const int size : shape) elements *= static_cast<std::uint64_t>(size);
    const std::uint64_t end = at_ + elements * bits / 8;
    json_ += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json_.empty() ? "" : ",",
                         name, type, fmt::join(shape, ","), at_, end);
    at_ = end;
    return *this;
  }

  /// An fp8 matrix as DeepSeek-V3 stores it: a scale for each block of 128 x 128.
  HeaderWriter& add_fp8(const std::string& module, int out, int in) {
    add(module + ".weight", "F8_E4M3", {out, in});
    return add(module + ".weight_scale_inv", "F32", {(out + 127) / 128, (in + 127) / 128});
  }

  TensorTable table() const {
    const std::string json = "{" + json_ + "}";
    const auto read = catalog::read_safetensors_header(json, 8 + json.size() + at_, "test");
    REQUIRE(read.has_value());
    return *read;
  }

 private:
  std::string json_;
  std::uint64_t at_ = 0;
};

double of(const std::array<double, kParts>& by_part, Part part) { return by_part[static_cast<std::size_t>(part)]; }
double sum(const std::array<double, kParts>& by_part) { return std::accumulate(by_part.begin(), by_part.end(), 0.0); }

/// A model with DeepSeek-V3's layers: some dense ones, then experts, then the multi-token-prediction module.
struct DeepSeek {
  int hidden, vocabulary, layers, dense_layers, dense_size, experts, expert_size;
  int heads, query_rank, kv_rank, nope, rope, value;
};

constexpr DeepSeek kSmall = {.hidden = 256,
                             .vocabulary = 1000,
                             .layers = 2,
                             .dense_layers = 1,
                             .dense_size = 512,
                             .experts = 4,
                             .expert_size = 128,
                             .heads = 4,
                             .query_rank = 128,
                             .kv_rank = 64,
                             .nope = 64,
                             .rope = 32,
                             .value = 64};
constexpr DeepSeek kV3 = {.hidden = 7168,
                          .vocabulary = 129280,
                          .layers = 61,
                          .dense_layers = 3,
                          .dense_size = 18432,
                          .experts = 256,
                          .expert_size = 2048,
                          .heads = 128,
                          .query_rank = 1536,
                          .kv_rank = 512,
                          .nope = 128,
                          .rope = 64,
                          .value = 128};

void add_attention(HeaderWriter& header, const DeepSeek& model, const std::string& layer) {
  const std::string attention = layer + "self_attn.";
  header.add_fp8(attention + "q_a_proj", model.query_rank, model.hidden);
  header.add(attention + "q_a_layernorm.weight", "BF16", {model.query_rank});
  header.add_fp8(attention + "q_b_proj", model.heads * (model.nope + model.rope), model.query_rank);
  header.add_fp8(attention + "kv_a_proj_with_mqa", model.kv_rank + model.rope, model.hidden);
  header.add(attention + "kv_a_layernorm.weight", "BF16", {model.kv_rank});
  header.add_fp8(attention + "kv_b_proj", model.heads * (model.nope + model.value), model.kv_rank);
  header.add_fp8(attention + "o_proj", model.hidden, model.heads * model.value);
  header.add(layer + "input_layernorm.weight", "BF16", {model.hidden});
  header.add(layer + "post_attention_layernorm.weight", "BF16", {model.hidden});
}

void add_network(HeaderWriter& header, const std::string& network, int hidden, int size) {
  header.add_fp8(network + "gate_proj", size, hidden).add_fp8(network + "up_proj", size, hidden);
  header.add_fp8(network + "down_proj", hidden, size);
}

void add_experts(HeaderWriter& header, const DeepSeek& model, const std::string& layer) {
  header.add(layer + "mlp.gate.weight", "BF16", {model.experts, model.hidden});
  header.add(layer + "mlp.gate.e_score_correction_bias", "F32", {model.experts});
  for (int expert = 0; expert < model.experts; ++expert) {
    add_network(header, fmt::format("{}mlp.experts.{}.", layer, expert), model.hidden, model.expert_size);
  }
  add_network(header, layer + "mlp.shared_experts.", model.hidden, model.expert_size);
}

TensorTable table_of(const DeepSeek& model) {
  const std::vector<int> vocabulary = {model.vocabulary, model.hidden};
  HeaderWriter header;
  header.add("model.embed_tokens.weight", "BF16", vocabulary).add("lm_head.weight", "BF16", vocabulary);
  header.add("model.norm.weight", "BF16", {model.hidden});
  for (int i = 0; i <= model.layers; ++i) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    add_attention(header, model, layer);
    if (i < model.dense_layers) {
      add_network(header, layer + "mlp.", model.hidden, model.dense_size);
    } else {
      add_experts(header, model, layer);
    }
  }
  const std::string last = fmt::format("model.layers.{}.", model.layers);
  header.add(last + "eh_proj.weight", "BF16", {model.hidden, 2 * model.hidden});
  for (const char* norm : {"enorm", "hnorm", "shared_head.norm"}) {
    header.add(fmt::format("{}{}.weight", last, norm), "BF16", {model.hidden});
  }
  header.add(last + "embed_tokens.weight", "BF16", vocabulary)
      .add(last + "shared_head.head.weight", "BF16", vocabulary);
  return header.table();
}

CountedTensors counted(const HeaderWriter& header, double packed_bits = 0) {
  return count_tensors(header.table(), 0, packed_bits);
}

struct Placed {
  Part part;
  const char* names;  // separated by spaces
};

}  // namespace

TEST_CASE("a name says which part a tensor is, in every family") {
  const Placed all[] = {
      {Part::embedding,
       "model.embed_tokens.weight model.language_model.embed_tokens.weight language_model.model.embed_tokens.weight "
       "transformer.wte.weight wte.weight wpe.weight backbone.embeddings.weight embed.weight gpt_neox.embed_in.weight "
       "transformer.word_embeddings.weight model.tok_embeddings.weight model.embed_tokens_per_layer.weight "
       "transformer.embedding.word_embeddings.weight model.decoder.embed_positions.weight token_embd.weight"},
      {Part::head,
       "lm_head.weight lm_head.bias language_model.lm_head.weight head.weight output.weight embed_out.weight "
       "transformer.output_layer.weight"},
      {Part::attention,
       "model.layers.0.self_attn.q_proj.weight model.layers.0.self_attn.q_norm.weight layers.3.attn.attn_sink "
       "model.layers.0.self_attn.q_a_layernorm.weight model.layers.9.self_attn.kv_a_layernorm.weight "
       "model.layers.0.self_attn.indexer.k_norm.bias layers.2.attn.indexer.compressor.ape layers.2.attn.wq_a.weight "
       "layers.2.attn.compressor.norm.weight model.layers.0.self_attn.sinks h.0.attn.c_attn.bias "
       "model.layers.0.linear_attn.A_log model.layers.0.linear_attn.norm.weight backbone.layers.0.mixer.in_proj.weight "
       "backbone.layers.0.mixer.A_log backbone.layers.0.mixer.D backbone.layers.0.mixer.dt_bias "
       "backbone.layers.0.mixer.norm.weight backbone.layers.0.mixer.conv1d.bias backbone.layers.7.mixer.q_proj.weight "
       "model.layers.1.conv.conv.weight model.layers.1.conv.in_proj.weight model.layers.0.mamba.x_proj.weight "
       "language_model.model.layers.3.cross_attn.q_norm.weight language_model.model.layers.3.cross_attn_attn_gate "
       "language_model.model.layers.3.cross_attn_mlp_gate transformer.h.0.self_attention.query_key_value.weight "
       "transformer.blocks.0.norm_attn_norm.attn.Wqkv.weight model.layers.0.attention.wqkv.weight "
       "model.layers.0.self_attn.gate.weight model.layers.0.self_attn.0.q_a_proj.weight blk.0.attn_q.weight "
       "blk.0.attn_q_norm.weight blk.4.ssm_in.weight model.layers.0.self_attn.k_scale"},
      {Part::dense_ffn,
       "model.layers.0.mlp.gate_proj.weight model.layers.0.mlp.down_proj.bias transformer.h.0.mlp.c_fc.weight "
       "model.layers.0.feed_forward.w1.weight backbone.layers.1.mixer.up_proj.weight "
       "backbone.layers.1.mixer.down_proj.weight model.decoder.layers.0.fc1.weight "
       "transformer.blocks.0.ffn.up_proj.weight "
       "model.layers.0.mlps.1.gate_proj.weight model.layers.0.mlp.act_fn.alpha_p blk.0.ffn_up.weight"},
      {Part::routed_experts,
       "model.layers.3.mlp.experts.7.up_proj.weight model.layers.0.block_sparse_moe.experts.0.w1.weight "
       "layers.0.ffn.experts.255.w2.scale model.layers.0.feed_forward.experts.gate_up_proj "
       "backbone.layers.1.mixer.experts.3.down_proj.weight model.layers.0.mlp.experts.gate_up_proj_blocks "
       "model.layers.0.mlp.experts.down_proj_bias model.language_model.layers.0.experts.down_proj "
       "model.layers.0.block_sparse_moe.input_linear.weight model.layers.0.moe.down_proj.weight "
       "model.layers.0.mlp.switch_mlp.up_proj.weight blk.3.ffn_down_exps.weight"},
      {Part::shared_experts,
       "model.layers.3.mlp.shared_experts.up_proj.weight model.layers.3.mlp.shared_expert.gate_proj.weight "
       "model.layers.3.mlp.shared_expert_gate.weight backbone.layers.1.mixer.shared_experts.up_proj.weight "
       "backbone.layers.1.mixer.fc1_latent_proj.weight backbone.layers.1.mixer.fc2_latent_proj.weight "
       "model.layers.0.feed_forward.shared_expert.up_proj.weight model.layers.0.shared_mlp.input_linear.weight "
       "blk.3.ffn_up_shexp.weight blk.3.ffn_gate_inp_shexp.weight"},
      {Part::router,
       "model.layers.3.mlp.gate.weight model.layers.3.mlp.gate.e_score_correction_bias layers.0.ffn.gate.tid2eid "
       "layers.5.ffn.gate.bias model.layers.0.block_sparse_moe.gate.weight model.layers.0.mlp.router.bias "
       "model.layers.0.block_sparse_moe.e_score_correction_bias backbone.layers.1.mixer.gate.weight "
       "model.layers.0.feed_forward.router.weight model.layers.0.feed_forward.gate.weight "
       "model.layers.0.feed_forward.expert_bias model.layers.0.mlp.gate.wg.weight "
       "model.language_model.layers.0.router.scale "
       "backbone.layers.1.mixer.gate.e_score_correction_bias model.layers.0.mlp.moe_statics.e_score_correction_bias "
       "transformer.blocks.0.ffn.router.layer.weight blk.3.ffn_gate_inp.weight blk.3.exp_probs_b.bias"},
      {Part::norms,
       "model.layers.0.input_layernorm.weight model.layers.0.post_attention_layernorm.weight model.norm.weight "
       "norm.weight layers.0.attn_norm.weight layers.0.ffn_norm.weight transformer.ln_f.bias h.0.ln_1.weight "
       "backbone.layers.0.norm.weight backbone.norm_f.weight model.decoder.layers.0.self_attn_layer_norm.weight "
       "transformer.word_embeddings_layernorm.weight model.embedding_norm.weight model.layers.0.operator_norm.weight "
       "transformer.blocks.0.norm_attn_norm.norm_1.weight model.layers.0.post_mlp_layernorm.weight "
       "blk.0.attn_norm.weight "
       "blk.0.ffn_norm.weight output_norm.weight"},
      {Part::vision,
       "visual.blocks.0.attn.qkv.weight model.visual.merger.mlp.0.weight "
       "vision_tower.vision_model.encoder.layers.0.mlp.fc1.bias "
       "model.vision_tower.patch_embed.proj.weight multi_modal_projector.linear_1.weight mm_projector.proj.0.weight "
       "model.embed_vision.embedding_projection.weight vision_model.embeddings.patch_embedding.weight mlp1.1.weight "
       "multi_modal_projector.patch_merger.merging_layer.weight model.image_newline v.blk.0.attn_q.weight"},
      {Part::audio,
       "audio_tower.layers.0.fc1.weight model.embed_audio.embedding_projection.weight thinker.audio_tower.conv1.weight "
       "talker.model.layers.0.mlp.gate_proj.weight model.embed_tokens_extend.audio_embed.encoder.x"},
      {Part::mtp,
       "mtp.layers.0.self_attn.q_proj.weight mtp.0.ffn.experts.0.w1.weight mtp.0.hc_attn_fn model.mtp.norm.weight "
       "model.mtp_layers.0.mlp.up_proj.weight model.layers.61.enorm.weight model.layers.61.hnorm.weight "
       "model.layers.61.eh_proj.weight model.layers.61.shared_head.head.weight model.layers.61.shared_head.norm.weight "
       "blk.92.nextn.eh_proj.weight"},
      {Part::other,
       "layers.0.hc_attn_fn hc_head_scale model.language_model.layers.0.layer_scalar "
       "model.language_model.layers.0.altup.router_norm.weight model.language_model.altup_projections.0.weight "
       "model.language_model.layers.0.laurel.linear_left.weight model.language_model.per_layer_model_projection.weight "
       "model.language_model.layers.0.per_layer_input_gate.weight "
       "model.language_model.layers.0.post_per_layer_input_norm.weight"},
  };
  for (const auto& [part, names] : all) {
    for (const std::string& name : split(names, ' ')) {
      CAPTURE(name);
      CHECK(name_of(part_of_tensor(name)) == name_of(part));
    }
  }
}

TEST_CASE("a layer beyond the main ones is a prediction module, but not in a vision tower") {
  CHECK(part_of_tensor("model.layers.61.mlp.experts.0.up_proj.weight", 61) == Part::mtp);
  CHECK(part_of_tensor("model.layers.61.embed_tokens.weight", 61) == Part::mtp);
  CHECK(part_of_tensor("model.layers.60.mlp.experts.0.up_proj.weight", 61) == Part::routed_experts);
  CHECK(part_of_tensor("model.layers.61.mlp.experts.0.up_proj.weight", 0) == Part::routed_experts);
  CHECK(part_of_tensor("vision_tower.encoder.layers.61.mlp.fc1.weight", 61) == Part::vision);
}

TEST_CASE("names that are no names are other") {
  for (const std::string& name :
       {std::string(), std::string("."), std::string("..."), std::string(100'000, '.'), std::string("weight"),
        std::string("layers."), std::string("layers.99999999999999")}) {
    CHECK(part_of_tensor(name, 3) == Part::other);
  }
}

TEST_CASE("a small DeepSeek-V3 in fp8 counts as by hand") {
  const CountedTensors all = count_tensors(table_of(kSmall), 2);
  // attention of a layer: 128*256 + 384*128 + 96*256 + 512*64 + 256*256 = 204,800 in fp8, norms 128 + 64 in bf16
  CHECK(of(all.params, Part::attention) == 2 * (204'800 + 192));
  CHECK(of(all.params, Part::embedding) == 256'000);
  CHECK(of(all.params, Part::head) == 256'000);
  CHECK(of(all.params, Part::dense_ffn) == 3 * 512 * 256);
  CHECK(of(all.params, Part::routed_experts) == 4 * 3 * 128 * 256);
  CHECK(of(all.params, Part::shared_experts) == 3 * 128 * 256);
  CHECK(of(all.params, Part::router) == 4 * 256 + 4);
  CHECK(of(all.params, Part::norms) == 2 * 2 * 256 + 256);
  // the module: attention 204,992, norms 512, router 1,028, experts 393,216, shared 98,304, eh_proj 131,072,
  // three norms 768, copies of both tables 512,000
  CHECK(of(all.params, Part::mtp) == 1'341'892);
  // scales of a layer's attention: 2 + 3 + 2 + 4 + 4 = 15; dense: 8 + 8 + 8 = 24; an expert: 2 + 2 + 2 = 6.
  // layer 0: 39; layers 1 and 2: 15 + 5 * 6 = 45 each; together 129 of 4 bytes
  CHECK(all.scale_bytes == 129 * 4);
  CHECK(of(all.bytes, Part::attention) == 2 * (204'800 + 192 * 2 + 15 * 4));
  const auto& attention = all.bytes_by_type[static_cast<std::size_t>(Part::attention)];
  CHECK(attention.at("F8_E4M3") == 2 * 204'800);
  CHECK(attention.at("BF16") == 2 * 192 * 2);
  CHECK(attention.at("F32") == 2 * 15 * 4);
  CHECK(all.unknown.empty());
  CHECK(all.buffers.empty());
}

TEST_CASE("DeepSeek-V3 itself has the parameters and bytes that were published") {
  const CountedTensors all = count_tensors(table_of(kV3), kV3.layers);
  const double module = of(all.params, Part::mtp);
  CHECK(sum(all.params) - module == 671'026'419'200);
  CHECK(module == 13'463'426'304);
  CHECK(all.scale_bytes == 41'540'496 * 4.0);
  // elements the Hub shows: F8_E4M3 680,571,043,840, BF16 3,918,786,560, F32 41,555,600 with the scales
  CHECK(sum(all.bytes) == 680'571'043'840 + 3'918'786'560 * 2.0 + 41'555'600 * 4.0);
  CHECK(all.unknown.empty());
}

TEST_CASE("NVFP4 holds two parameters in a byte, FP8 beside it one") {
  HeaderWriter header;
  header.add("model.layers.0.mlp.down_proj.weight", "U8", {64, 64});  // [64, 128]: 8,192 parameters
  header.add("model.layers.0.mlp.down_proj.weight_scale", "F8_E4M3", {64, 8});
  header.add("model.layers.0.mlp.down_proj.weight_scale_2", "F32", {})
      .add("model.layers.0.mlp.down_proj.input_scale", "F32", {});
  header.add("model.layers.0.self_attn.q_proj.weight", "F8_E4M3", {64, 64});
  header.add("model.layers.0.self_attn.q_proj.weight_scale", "F32", {});
  header.add("model.layers.0.self_attn.k_proj.k_scale", "F32", {1});
  header.add("model.layers.0.mlp.up_proj.weight_packed", "U8", {64, 64});  // compressed-tensors' name for the same
  header.add("model.layers.0.mlp.up_proj.weight_scale", "F8_E4M3", {64, 8});
  header.add("model.layers.0.mlp.up_proj.weight_global_scale", "F32", {1});
  const CountedTensors all = counted(header);
  CHECK(of(all.params, Part::dense_ffn) == 2 * 8192);
  CHECK(of(all.bytes, Part::dense_ffn) == (4096 + 512 + 4 + 4) + (4096 + 512 + 4));
  CHECK(of(all.params, Part::attention) == 4096);
  CHECK(of(all.bytes, Part::attention) == 4096 + 4 + 4);
  CHECK(all.scale_bytes == 512 + 4 + 4 + 4 + 4 + 512 + 4);
  CHECK(all.unknown.empty());
}

TEST_CASE("MXFP4 as gpt-oss stores it: blocks of two in a byte, scales, and biases that count") {
  HeaderWriter header;                                                                 // 2 experts, hidden 64, size 32
  header.add("model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", {2, 64, 2, 16});  // 2*64*64 = 8,192
  header.add("model.layers.0.mlp.experts.gate_up_proj_scales", "U8", {2, 64, 2});
  header.add("model.layers.0.mlp.experts.gate_up_proj_bias", "BF16", {2, 64});      // 128
  header.add("model.layers.0.mlp.experts.down_proj_blocks", "U8", {2, 64, 1, 16});  // 2*64*32 = 4,096
  header.add("model.layers.0.mlp.experts.down_proj_scales", "U8", {2, 64, 1});
  header.add("model.layers.0.mlp.experts.down_proj_bias", "BF16", {2, 64});  // 128
  header.add("model.layers.0.mlp.router.weight", "BF16", {2, 64}).add("model.layers.0.mlp.router.bias", "BF16", {2});
  const CountedTensors all = counted(header);
  CHECK(of(all.params, Part::routed_experts) == 8192 + 4096 + 2 * 128);
  CHECK(of(all.bytes, Part::routed_experts) == 4096 + 256 + 256 + 2048 + 128 + 256);
  CHECK(of(all.params, Part::router) == 130);
  CHECK(all.scale_bytes == 256 + 128);
  CHECK(all.unknown.empty());
}

TEST_CASE("DeepSeek-V4: fp4 experts in I8, fp8 beside them, a scale that is a parameter elsewhere") {
  HeaderWriter header;
  header.add("layers.0.ffn.experts.0.w1.weight", "I8", {64, 32});  // [64, 64]: 4,096 parameters
  header.add("layers.0.ffn.experts.0.w1.scale", "F8_E8M0", {64, 2});
  header.add("layers.0.attn.wq_a.weight", "F8_E4M3", {128, 128}).add("layers.0.attn.wq_a.scale", "F8_E8M0", {1, 1});
  header.add("layers.0.ffn.gate.tid2eid", "I64", {100, 6});
  header.add("layers.0.hc_attn_scale", "F32", {3});
  header.add("model.layers.0.router.scale", "BF16", {64}).add("model.layers.0.router.proj.weight", "BF16", {4, 64});
  const CountedTensors all = counted(header);
  CHECK(of(all.params, Part::routed_experts) == 4096);
  CHECK(of(all.bytes, Part::routed_experts) == 2048 + 128);
  CHECK(of(all.params, Part::attention) == 128 * 128);
  CHECK(of(all.params, Part::router) == 600 + 64 + 256);
  CHECK(of(all.params, Part::other) == 3);
  CHECK(all.scale_bytes == 128 + 1);
  CHECK(all.unknown.empty());
}

TEST_CASE("GPTQ of 3, 4 and 8 bits and AWQ count the matrix they stand for") {
  struct Layout {
    const char* name;
    std::vector<int> weight, zeros;
    bool order;
  };
  // a matrix of 256 inputs and 128 outputs in two groups of 128: 32,768 parameters. GPTQ packs inputs, AWQ outputs
  const Layout layouts[] = {{"GPTQ, 3 bits", {24, 128}, {2, 12}, true},
                            {"GPTQ, 4 bits", {32, 128}, {2, 16}, true},
                            {"GPTQ, 8 bits", {64, 128}, {2, 32}, true},
                            {"AWQ, 4 bits", {256, 16}, {2, 16}, false}};
  for (const Layout& layout : layouts) {
    CAPTURE(layout.name);
    HeaderWriter header;
    header.add("model.layers.0.mlp.up_proj.qweight", "I32", layout.weight);
    header.add("model.layers.0.mlp.up_proj.qzeros", "I32", layout.zeros);
    header.add("model.layers.0.mlp.up_proj.scales", "F16", {2, 128});
    if (layout.order) header.add("model.layers.0.mlp.up_proj.g_idx", "I32", {256});
    const CountedTensors all = counted(header);
    CHECK(of(all.params, Part::dense_ffn) == 32'768);
    const double zeros = layout.zeros[0] * layout.zeros[1] * 4.0;
    CHECK(all.scale_bytes == zeros + 2 * 128 * 2 + (layout.order ? 1024 : 0));
    CHECK(sum(all.bytes) == layout.weight[0] * layout.weight[1] * 4.0 + all.scale_bytes);
    CHECK(all.guessed_bits == 0);
    CHECK(all.unknown.empty());
  }
}

TEST_CASE("GPTQ without zero points takes its width from the order of its inputs") {
  HeaderWriter header;
  header.add("model.layers.0.mlp.up_proj.qweight", "I32", {64, 128})
      .add("model.layers.0.mlp.up_proj.g_idx", "I32", {256});
  CHECK(of(counted(header).params, Part::dense_ffn) == 256 * 128);
}

TEST_CASE("compressed-tensors' packed weights: a likely width, unless the config or a zero point tells") {
  const std::string module = "model.layers.1.mlp.experts.0.up_proj.";
  HeaderWriter four;  // [128, 256] in groups of 32
  four.add(module + "weight_packed", "I32", {128, 32}).add(module + "weight_scale", "BF16", {128, 8});
  four.add(module + "weight_shape", "I64", {2});
  CHECK(of(counted(four).params, Part::routed_experts) == 32'768);
  CHECK(counted(four).guessed_bits == 1);
  CHECK(counted(four, 4).guessed_bits == 0);
  CHECK(of(counted(four, 8).params, Part::routed_experts) == 16'384);
  CHECK(counted(four).scale_bytes == 128 * 8 * 2 + 16);

  HeaderWriter eight;  // [128, 256] in groups of 128
  eight.add(module + "weight_packed", "I32", {128, 64}).add(module + "weight_scale", "BF16", {128, 2});
  CHECK(of(counted(eight).params, Part::routed_experts) == 32'768);

  HeaderWriter channel;  // one scale a row: nothing tells but the zero points, 128 * 8 / 32 = 32 words of them
  channel.add(module + "weight_packed", "I32", {128, 64}).add(module + "weight_scale", "BF16", {128, 1});
  channel.add(module + "weight_zero_point", "I32", {32, 1});
  CHECK(of(counted(channel).params, Part::routed_experts) == 32'768);
  CHECK(counted(channel).guessed_bits == 0);
}

TEST_CASE("bitsandbytes, INT8 and MLX count 4,096 parameters of a 64 x 64 matrix") {
  const std::string module = "model.layers.0.mlp.up_proj.";
  HeaderWriter nf4, llm_int8, w8a8, mlx, stacked;
  nf4.add(module + "weight", "U8", {2048, 1}).add(module + "weight.absmax", "F32", {64});
  nf4.add(module + "weight.quant_map", "F32", {16}).add(module + "weight.quant_state.bitsandbytes__nf4", "U8", {80});
  llm_int8.add(module + "weight", "I8", {64, 64})
      .add(module + "SCB", "F32", {64})
      .add(module + "weight_format", "U8", {});
  w8a8.add(module + "weight", "I8", {64, 64}).add(module + "weight_scale", "BF16", {64, 1});
  mlx.add(module + "weight", "U32", {64, 8})
      .add(module + "scales", "BF16", {64, 1})
      .add(module + "biases", "BF16", {64, 1});
  for (const HeaderWriter& header : {nf4, llm_int8, w8a8, mlx}) {
    const CountedTensors all = counted(header);
    CHECK(of(all.params, Part::dense_ffn) == 4096);
    CHECK(sum(all.params) == 4096);
    CHECK(all.unknown.empty());
  }
}

TEST_CASE("buffers are listed and count nothing; a bias of attention is no mask") {
  HeaderWriter header;
  header.add("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", {64});
  header.add("h.0.attn.bias", "BOOL", {1, 1, 32, 32}).add("h.0.attn.masked_bias", "F32", {});
  header.add("vision_model.embeddings.position_ids", "I64", {1, 577});
  CHECK(counted(header).buffers.size() == 4);
  CHECK(sum(counted(header).params) == 0);
  CHECK(sum(counted(header).bytes) == 0);
  header.add("h.0.attn.bias_of_output", "F32", {32}).add("h.1.attn.bias", "F32", {32});
  CHECK(of(counted(header).params, Part::attention) == 64);
}

TEST_CASE("what no rule fits is listed: a name nobody knows, whole numbers of unknown packing") {
  HeaderWriter header;
  header.add("model.layers.0.flux_capacitor", "F32", {7}).add("model.layers.0.mlp.up_proj.q_weight", "I32", {8, 8});
  header.add("model.layers.0.mlp.down_proj.weight", "U8", {8, 8});
  const CountedTensors all = counted(header);
  CHECK(all.unknown.size() == 3);
  CHECK(of(all.params, Part::other) == 7);
  CHECK(of(all.params, Part::dense_ffn) == 128);
}

TEST_CASE("the bytes of the parts are the bytes of the file, by type too") {
  const TensorTable table = table_of(kSmall);
  double stored = 0;
  for (const auto& tensor : table.tensors) stored += tensor.bytes;
  const CountedTensors all = count_tensors(table, 2);
  CHECK(sum(all.bytes) == stored);
  double typed = 0;
  for (const auto& part : all.bytes_by_type) {
    for (const auto& [type, bytes] : part) typed += bytes;
  }
  CHECK(typed == stored);
}

TEST_CASE("100,000 tensors are counted in a fraction of a second") {
  TensorTable table;
  for (int i = 0; i < 50'000; ++i) {
    const std::string module = fmt::format("model.layers.{}.mlp.experts.{}.down_proj.", i / 256, i % 256);
    table.tensors.push_back({module + "weight", "U8", {64, 64}, 4096, 4096});
    table.tensors.push_back({module + "weight_scale", "F8_E4M3", {64, 8}, 512, 512});
  }
  CountedTensors all;
  const double took = processor_seconds([&] { all = count_tensors(table, 300); });
  CHECK(of(all.params, Part::routed_experts) == 50'000 * 8192.0);
  MESSAGE("100,000 tensors in " << took * 1e3 << " ms");
  CHECK(took < 10.0);  // 100 ms in release; sanitizers are slower
}

}  // namespace tensor_parts_test
