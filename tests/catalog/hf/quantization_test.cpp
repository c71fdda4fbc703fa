// Does a quantized checkpoint weigh what its files weigh, scales included? Published files to the byte, every method by
// hand, and lists of module names however long or hostile.

#include "catalog/hf/quantization.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "catalog/facts/files.hpp"
#include "catalog/hf/config.hpp"
#include "catalog/hf/module_patterns.hpp"
#include "catalog/refusal.hpp"
#include "catalog_library.hpp"
#include "processor_time.hpp"
#include "real_files.hpp"

namespace hf_quantization_test {

using namespace ridge;
using catalog::ModulePatterns;
using ridge::matches_glob;

namespace {

Result<catalog::ReadModel> read(std::string_view text) {
  const auto json = catalog::parse_json(text, "config.json");
  REQUIRE(json);
  return catalog::read_hf_config(*json, "config.json", testing::config_words());
}

/// One small Llama, hidden 64: q and o 64 x 64, k and v 64 x 32 (12,288 in a layer); gate and up 64 x 128, down 128 x 64
/// (24,576); embedding and head of 100 words (6,400 each).
std::string small(std::string_view quantization, int layers = 1, std::string_view more = "") {
  return R"({"model_type": "llama", "num_hidden_layers": )" + std::to_string(layers) +
         R"(, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
         "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 4096, "tie_word_embeddings": false,
         "torch_dtype": "bfloat16")" +
         std::string(more) +
         (quantization.empty() ? "" : R"(, "quantization_config": {)" + std::string(quantization) + "}") + "}";
}

Model read_well(std::string_view text) {
  auto result = read(text);
  if (!result) FAIL(result.error().front().where, ": ", result.error().front().what);
  return std::move(result->model);
}

double bytes(const Model& model, Part part) { return model.released[static_cast<std::size_t>(part)]; }
double bytes(const Model& model) { return std::accumulate(model.released.begin(), model.released.end(), 0.0); }

constexpr double kWideAttention = 2 * 12'288, kWideNetwork = 2 * 24'576, kWideHead = 2 * 6400;

struct Wanted {
  double attention, network, head = kWideHead;
  std::string_view format;
};

void check_bytes(std::string_view quantization, const Wanted& wanted) {
  CAPTURE(quantization);
  const Model model = read_well(small(quantization));
  CHECK(bytes(model, Part::embedding) == 2 * 6400);
  CHECK(bytes(model, Part::norms) == 2 * 3 * 64);
  CHECK(bytes(model, Part::attention) == wanted.attention);
  CHECK(bytes(model, Part::dense_ffn) == wanted.network);
  CHECK(bytes(model, Part::head) == wanted.head);
  CHECK(model.precision.value.weights == wanted.format);
}

void check_refused(std::string_view text, std::string_view where, std::string_view what) {
  CAPTURE(text);
  const auto result = read(text);
  REQUIRE_FALSE(result);
  testing::check_refusal(result.error(), where, what);
}

constexpr std::string_view kChannelFp8 =
    R"({"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": true})";
constexpr std::string_view kGroupInt4 =
    R"({"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": true})";

std::string compressed(std::string_view targets, std::string_view weights, std::string_view more = "") {
  return R"("quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": )" + std::string(targets) +
         R"(, "weights": )" + std::string(weights) + "}}" + std::string(more);
}

double milliseconds(const auto& work) { return 1e3 * processor_seconds(work); }

}  // namespace

TEST_CASE("published quantized checkpoints weigh exactly what their index says") {
  const std::filesystem::path folder = testing::real_files("models").path;
  for (const auto& [name, wanted] :
       {// F8 680,571,043,840 + 2 * BF16 3,918,786,560 + 4 * F32 41,555,600
        std::pair{"deepseek-ai--DeepSeek-V3", 688'574'839'360.0},
        {"deepseek-ai--DeepSeek-R1", 688'574'839'360.0},
        {"deepseek-ai--DeepSeek-V4-Flash", 159'609'485'896.0},      // total_size of the index
        {"nvidia--DeepSeek-V4-Flash-NVFP4", 168'266'793'544.0},     // likewise
        {"moonshotai--Kimi-K2.5", 595'148'192'736.0},               // int4 in groups of 32, shapes as int32
        {"moonshotai--Kimi-K2-Instruct", 1'029'173'249'888.0},      // the index says 6,832 more, or 7e-9
        {"nvidia--Kimi-K2.5-NVFP4", 590'779'957'656.0},             // without the scales of its fp8 cache
        {"sgl-project--DeepSeek-V4-Flash-FP8", 292'502'338'120.0},  // with byte scales throughout
        {"openai--gpt-oss-120b", 65'248'815'744.0},
        {"openai--gpt-oss-20b", 13'761'264'768.0}}) {
    CAPTURE(name);
    const auto text = catalog::read_file((folder / (std::string(name) + ".json")).string());
    REQUIRE(text);
    CHECK(static_cast<long long>(bytes(read_well(*text))) == static_cast<long long>(wanted));
  }
}

TEST_CASE("without quantization_config every parameter has the base format's bytes") {
  const Model bf16 = read_well(small(""));
  CHECK(bytes(bf16) == 2 * count_parameters(bf16).stored());
  CHECK(bf16.precision.value.weights == "bf16");
  CHECK(bf16.precision.value.kv == "bf16");
  const std::string wide = R"({"model_type": "gpt2", "vocab_size": 100, "n_embd": 64, "n_layer": 1, "n_head": 4,
    "n_positions": 16, "torch_dtype": "float32"})";
  CHECK(bytes(read_well(wide)) == 4 * count_parameters(read_well(wide)).stored());
  CHECK(read_well(wide).precision.value.weights == "fp32");
  CHECK(read_well(small("", 1, R"(, "vision_config": null)")).vision == 0);
}

TEST_CASE("fp8 in blocks: an fp32 scale for each block, partial ones included") {
  check_bytes(R"("quant_method": "fp8", "weight_block_size": [128, 128])",
              {.attention = 12'288 + 4 * 4, .network = 24'576 + 3 * 4, .format = "fp8-block128"});
  // blocks of 32: 4 in q and o, 2 in k and v; 8 in each of the network's
  check_bytes(R"("quant_method": "fp8", "weight_block_size": [32, 32])",
              {.attention = 12'288 + 4 * (4 + 2 + 2 + 4), .network = 24'576 + 4 * 24, .format = "fp8"});
  // 48 does not divide 64: two blocks each way
  check_bytes(R"("quant_method": "fp8", "weight_block_size": [48, 48])",
              {.attention = 12'288 + 4 * (4 + 2 + 2 + 4), .network = 24'576 + 4 * (6 + 6 + 6), .format = "fp8"});
  // one scale a tensor, and one for its inputs
  check_bytes(R"("quant_method": "fp8", "activation_scheme": "static")",
              {.attention = 12'288 + 4 * 8, .network = 24'576 + 3 * 8, .format = "fp8"});
}

TEST_CASE("GPTQ: packed integers, a scale and a zero point a group, and the order of the columns") {
  // q, o: 4,096/2 + 64*2*(2 + 1/2) + 4*64 = 2,624; k, v: 1,024 + 160 + 256 = 1,440
  // gate, up: 4,096 + 128*2*2.5 + 256 = 4,992; down: 4,096 + 64*4*2.5 + 512 = 5,248
  check_bytes(R"("quant_method": "gptq", "bits": 4, "group_size": 32, "sym": true, "desc_act": false)",
              {.attention = 2 * 2624 + 2 * 1440, .network = 2 * 4992 + 5248, .format = "int4"});
  // one group over all inputs: q, o: 2,048 + 64*2.5 + 256 = 2,464; k, v: 1,024 + 80 + 256 = 1,360
  check_bytes(
      R"("quant_method": "gptq", "bits": 4, "group_size": -1)",
      {.attention = 2 * 2464 + 2 * 1360, .network = 2 * (4096 + 320 + 256) + (4096 + 160 + 512), .format = "int4"});
  // eight bits: q, o: 4,096 + 64*2*3 + 256
  check_bytes(R"("quant_method": "gptq", "bits": 8, "group_size": 32)",
              {.attention = 12'288 + 3 * 2 * 192 + 4 * 256,
               .network = 24'576 + 3 * (256 + 256 + 256) + 4 * (64 + 64 + 128),
               .format = "int8"});
}

TEST_CASE("AWQ: as GPTQ, without an order; without zero points where it says so") {
  check_bytes(R"("quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": true, "version": "gemm")",
              {.attention = 6144 + 2 * 192 * 2.5, .network = 12'288 + 768 * 2.5, .format = "int4"});
  check_bytes(R"("quant_method": "awq", "w_bit": 4, "q_group_size": 32, "zero_point": false)",
              {.attention = 6144 + 2 * 192 * 2.0, .network = 12'288 + 768 * 2.0, .format = "int4"});
}

TEST_CASE("bitsandbytes: an fp32 for each 64 values, or a byte and its own scale") {
  // 4 bits and 32/64: 4.5
  check_bytes(R"("quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": false)",
              {.attention = 12'288 * 4.5 / 8, .network = 24'576 * 4.5 / 8, .format = "int4"});
  // 4 + (8 + 32/256)/64 = 4.126953125: q, o 2,113; k, v 1,056.5, rounded up; gate, up, down 4,226
  check_bytes(R"("quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true)",
              {.attention = 2 * 2113 + 2 * 1057, .network = 3 * 4226, .format = "int4"});
  check_bytes(R"("quant_method": "bitsandbytes", "load_in_8bit": true)",
              {.attention = 12'288 + 4 * 192, .network = 24'576 + 4 * 320, .format = "int8"});
}

TEST_CASE("modelopt: FP8 with two scales a tensor, NVFP4 with a byte for each 16 and two scales") {
  check_bytes(R"("quant_method": "modelopt", "quant_algo": "FP8", "exclude_modules": ["lm_head"])",
              {.attention = 12'288 + 4 * 8, .network = 24'576 + 3 * 8, .format = "fp8"});
  check_bytes(R"("quant_method": "modelopt", "quant_algo": "FP8")",
              {.attention = 12'288 + 4 * 8, .network = 24'576 + 3 * 8, .head = 6400 + 8, .format = "fp8"});
  const std::string nvfp4 = R"("quant_method": "modelopt", "ignore": ["lm_head"], )";
  const Wanted wanted{.attention = 12'288 * 9 / 16 + 4 * 8, .network = 24'576 * 9 / 16 + 3 * 8, .format = "nvfp4"};
  check_bytes(nvfp4 + R"("quant_algo": "NVFP4")", wanted);
  check_bytes(nvfp4 + R"("config_groups": {"group_0": {"targets": ["Linear"],
    "weights": {"num_bits": 4, "type": "float", "group_size": 16, "dynamic": false}}})",
              wanted);
  check_bytes(R"("quant_algo": "NVFP4", "ignore": ["lm_head"])", wanted);  // as in hf_quant_config.json
}

TEST_CASE("compressed-tensors: scales a channel, a group or a tensor") {
  const std::string head = R"(, "ignore": ["lm_head"])";
  check_bytes(compressed(R"(["Linear"])", kChannelFp8, head),
              {.attention = 12'288 + 2 * 192, .network = 24'576 + 2 * 320, .format = "fp8"});
  // packed: a scale for each 32, and the shape in 8 bytes
  check_bytes(compressed(R"(["Linear"])", kGroupInt4, head + R"(, "format": "pack-quantized")"),
              {.attention = 6144 + 2 * 384 + 4 * 8, .network = 12'288 + 2 * 768 + 3 * 8, .format = "int4"});
  check_bytes(
      compressed(R"(["Linear"])", R"({"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": true})", head),
      {.attention = 12'288 + 2 * 192, .network = 24'576 + 2 * 320, .format = "int8"});
  check_bytes(compressed(R"(["Linear"])", R"({"num_bits": 8, "type": "float", "strategy": "tensor"})", head),
              {.attention = 12'288 + 4 * 8, .network = 24'576 + 3 * 8, .format = "fp8"});
  check_bytes(compressed(R"(["Linear"])",
                         R"({"num_bits": 8, "type": "float", "strategy": "block", "block_structure": [32, 32]})", head),
              {.attention = 12'288 + 4 * 12, .network = 24'576 + 4 * 24, .format = "fp8"});
}

TEST_CASE("compressed-tensors: what no group names stays as it is") {
  const double attention = 12'288 + 2 * 192;
  check_bytes(compressed(R"(["re:.*self_attn.*"])", kChannelFp8),
              {.attention = attention, .network = kWideNetwork, .format = "bf16"});
  const std::string two = R"("quant_method": "compressed-tensors", "config_groups": {
    "group_0": {"targets": ["re:.*self_attn.*"], "weights": )" +
                          std::string(kChannelFp8) + R"(},
    "group_1": {"targets": ["re:.*mlp.*"], "weights": )" +
                          std::string(kGroupInt4) + "}}";
  check_bytes(two, {.attention = attention, .network = 12'288 + 2 * 768, .format = "int4"});
  // and a group of its own beside one for everything
  const std::string all = R"("quant_method": "compressed-tensors", "ignore": ["lm_head"], "config_groups": {
    "group_0": {"targets": ["Linear"], "weights": )" +
                          std::string(kGroupInt4) + R"(},
    "group_1": {"targets": ["re:.*self_attn.*"], "weights": )" +
                          std::string(kChannelFp8) + "}}";
  CHECK(bytes(read_well(small(all)), Part::attention) == attention);
  CHECK(bytes(read_well(small(all)), Part::dense_ffn) == 12'288 + 2 * 768);
}

TEST_CASE("modules to leave alone: by name, with a star, by regular expression") {
  const auto attention_with = [](std::string_view pattern) {
    return bytes(read_well(small(R"("quant_method": "fp8", "weight_block_size": [128, 128],
      "modules_to_not_convert": [")" +
                                     std::string(pattern) + "\"]",
                                 2)),
                 Part::attention);
  };
  const double own = 12'288 + 4 * 4, wide = kWideAttention;  // of one layer
  CHECK(attention_with("lm_head") == 2 * own);
  CHECK(attention_with("self_attn") == 2 * wide);
  CHECK(attention_with("model.layers.1.self_attn") == own + wide);
  CHECK(attention_with("model.layers.1") == own + wide);
  CHECK(attention_with("model.layers.1.self_attn.q_proj") == 2 * own + (2 * 4096 - 4096 - 4));
  CHECK(attention_with("q_proj") == 2 * (own + 2 * 4096 - 4096 - 4));
  CHECK(attention_with("proj") == 2 * own);  // a part of a component is not the component
  CHECK(attention_with("*self_attn*") == 2 * wide);
  CHECK(attention_with("model.layers.0.*") == own + wide);
  CHECK(attention_with("model.layers.1*") == own + wide);
  CHECK(attention_with("model.layers.*.self_attn.*") == 2 * wide);
  CHECK(attention_with("model.layers.*.mlp.*") == 2 * own);
  CHECK(attention_with("re:.*self_attn.*") == 2 * wide);
  CHECK(attention_with(R"(re:model\\.layers\\.1\\..*)") == own + wide);
  CHECK(attention_with("re:.*(mlp|lm_head).*") == 2 * own);
}

TEST_CASE("a regular expression that is none excludes nothing, and that is said") {
  const Model model = read_well(small(R"("quant_method": "fp8", "ignore": ["re:(", "lm_head"])"));
  CHECK(bytes(model, Part::attention) == 12'288 + 4 * 8);
  CHECK(std::any_of(model.remarks.begin(), model.remarks.end(),
                    [](const auto& one) { return one.find("\"re:(\" is not understood") != one.npos; }));
}

TEST_CASE("MXFP4 of gpt-oss is for the experts' matrices alone") {
  const Model oss = read_well(R"({"model_type": "gpt_oss", "num_hidden_layers": 2, "hidden_size": 64,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 64, "vocab_size": 100,
    "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 128, "torch_dtype": "bfloat16",
    "max_position_embeddings": 4096, "quantization_config": {"quant_method": "mxfp4",
    "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]}})");
  // an expert: 3 * 4,096 values at 17/32 B, and biases of 64 + 64 + 64 in bf16
  CHECK(bytes(oss, Part::routed_experts) == 2 * 4 * (3 * 4096 * 17.0 / 32 + 2 * 192));
  const ParameterParts parts = count_parameters(oss);
  for (const Part part : {Part::attention, Part::router, Part::embedding, Part::head, Part::norms}) {
    CAPTURE(name_of(part));
    CHECK(bytes(oss, part) == 2 * parts[part]);
  }
  CHECK(oss.precision.value.experts == "mxfp4");
  CHECK(oss.precision.value.weights == "bf16");
}

TEST_CASE("routers and their corrections stay wide") {
  const Model moe = read_well(small(R"("quant_method": "fp8", "weight_block_size": [128, 128])", 1,
                                    R"(, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
      "use_routing_bias": true)"));
  CHECK(bytes(moe, Part::router) == 2 * 8 * 64 + 4 * 8);  // the correction in fp32
  CHECK(bytes(moe, Part::routed_experts) == 8 * 3 * (64 * 32 + 4));
  CHECK(moe.precision.value.experts == "fp8-block128");
}

TEST_CASE("the cache's format is read in each of its spellings") {
  const auto kv = [](std::string_view said) {
    return read_well(small(R"("quant_method": "modelopt", "quant_algo": "FP8")" + std::string(said)))
        .precision.value.kv;
  };
  CHECK(kv("") == "bf16");
  CHECK(kv(R"(, "kv_cache_scheme": null)") == "bf16");
  CHECK(kv(R"(, "kv_cache_scheme": "FP8")") == "fp8");
  CHECK(kv(R"(, "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": false})") == "fp8");
  CHECK(kv(R"(, "kv_cache_scheme": {"num_bits": 16, "type": "float"})") == "bf16");
  CHECK(kv(R"(, "kv_cache_scheme": {"num_bits": 8, "type": "int"})") == "int8");
  CHECK(kv(R"(, "kv_cache_scheme": {"num_bits": 4, "type": "float"})") == "nvfp4");
  CHECK(kv(R"(, "kv_cache_quant_algo": "NVFP4")") == "nvfp4");
  CHECK(kv(R"(, "kv_cache_quant_algo": "FP8")") == "fp8");
  CHECK(kv(R"(, "kv_cache_quant_algo": null)") == "bf16");
}

TEST_CASE("a method that cannot be counted is refused, and so is one that makes no sense") {
  check_refused(small(R"("quant_method": "hqq")"), "quantization_config.quant_method", "\"hqq\" is not known");
  check_refused(small(R"("quant_method": "bitsandbytes")"), "quant_method", "\"bitsandbytes\"");
  check_refused(small(R"("quant_algo": "W3A3")"), "quant_method", "\"W3A3\" is not known");
  check_refused(small(R"("bits": 4)"), "quant_method", "is not known");
  check_refused(small(R"("quant_method": "gptq", "group_size": 128)"), "quantization_config.bits", "is missing");
  check_refused(small(R"("quant_method": "gptq", "bits": 17)"), "quantization_config.bits", "17 bits");
  check_refused(small(R"("quant_method": "gptq", "bits": "4")"), "quantization_config.bits", "\"4\"");
  check_refused(small(R"("quant_method": "fp8", "weight_block_size": [128])"), "weight_block_size", "two numbers");
  check_refused(small(R"("quant_method": "fp8", "weight_block_size": [0, 128])"), "weight_block_size", "two numbers");
  check_refused(small(R"("quant_method": "fp8", "ignore": "lm_head")"), "ignore", "a list of texts");
  check_refused(small(R"("quant_method": "compressed-tensors", "config_groups": [1])"), "config_groups",
                "where an object is expected");
  check_refused(small(compressed(R"(["Linear"])", R"({"type": "int"})")), "weights.num_bits", "is missing");
}

TEST_CASE("a star stands for any characters, none included") {
  for (const auto& [text, pattern] : {std::pair{"lm_head", "lm_head"},
                                      {"lm_head", "*"},
                                      {"", "*"},
                                      {"", ""},
                                      {"lm_head", "lm*"},
                                      {"lm_head", "*head"},
                                      {"lm_head", "*m*_*d"},
                                      {"lm_head", "lm_head*"},
                                      {"lm_head", "**lm**head**"},
                                      {"aab", "*ab"},
                                      {"a.b.c", "a.*.c"},
                                      {"a..c", "a.*.c"}}) {
    CAPTURE(text);
    CAPTURE(pattern);
    CHECK(matches_glob(text, pattern));
  }
  for (const auto& [text, pattern] : {std::pair{"lm_head", "lm"},
                                      {"lm_head", "head"},
                                      {"lm_head", ""},
                                      {"", "a"},
                                      {"lm_head", "*heads"},
                                      {"lm_head", "lm_head*x"},
                                      {"lm_head", "LM*"},
                                      {"a.c", "a.*.c"},
                                      {"lm+head", "lm?head"}}) {
    CAPTURE(text);
    CAPTURE(pattern);
    CHECK_FALSE(matches_glob(text, pattern));
  }
}

TEST_CASE("patterns match whole components, stars and regular expressions") {
  const ModulePatterns patterns({"gate", "model.layers.3.mlp", "*visual*", R"(re:.*\.layers\.[45]\.self_attn)"});
  CHECK_FALSE(patterns.empty());
  CHECK(ModulePatterns({}).empty());
  for (const std::string_view module :
       {"model.layers.0.mlp.gate", "gate", "model.layers.3.mlp.up_proj", "model.layers.3.mlp", "model.visual.blocks.0",
        "model.layers.4.self_attn.q_proj"}) {
    CAPTURE(module);
    CHECK(patterns.match(module));
  }
  for (const std::string_view module : {"model.layers.0.mlp.gate_proj", "model.layers.30.mlp.up_proj", "lm_head", "",
                                        "mtp.model.layers.3.mlp", "model.layers.6.self_attn.q_proj"}) {
    CAPTURE(module);
    CHECK_FALSE(patterns.match(module));
  }
  CHECK(patterns.names_layers_after("model."));
  CHECK_FALSE(patterns.names_layers_after("backbone."));
  CHECK(patterns.refused().empty());
  CHECK(ModulePatterns({"re:[", "re:ok"}).refused() == std::vector<std::string_view>{"re:["});
}

TEST_CASE("layers of which the same is said have the same text") {
  const ModulePatterns patterns({"model.layers.0.mlp.gate", "model.layers.1.mlp.gate", "model.layers.1.self_attn*"});
  CHECK(patterns.regular());
  CHECK(patterns.said_of_layer(0) == "model.#mlp.gate\n");
  CHECK(patterns.said_of_layer(1) == "model.#mlp.gate\nmodel.#self_attn*\n");
  CHECK(patterns.said_of_layer(2).empty());
  CHECK_FALSE(ModulePatterns({"model.layers.1*"}).regular());
  CHECK_FALSE(ModulePatterns({R"(re:.*layers\.[12].*)"}).regular());
}

TEST_CASE("twenty thousand patterns cost no more than a few") {
  std::vector<std::string> names, ignored;
  for (int layer = 0; layer < 100; ++layer) {
    for (int expert = 0; expert < 200; ++expert) {
      const std::string module =
          "model.layers." + std::to_string(layer) + ".mlp.experts." + std::to_string(expert) + ".up_proj";
      names.push_back(module);
      ignored.push_back(expert % 2 == 0 ? module : module + "*");
    }
  }
  // 20,000 questions to 20,000 patterns are 4 * 10^8 comparisons one by one, some seconds; found by name they take about
  // 70 ms here, or 3 us each. One second leaves room for a slow machine and none for the long way.
  std::size_t matched = 0;
  const double taken = milliseconds([&] {
    const ModulePatterns patterns({ignored.begin(), ignored.end()});
    for (const std::string& name : names) matched += patterns.match(name);
  });
  CHECK(matched == names.size());
  CHECK(taken < 1000);

  std::string list;
  for (const std::string& pattern : ignored) list += (list.empty() ? "\"" : ", \"") + pattern + "\"";
  const std::string config = small(R"("quant_method": "fp8", "modules_to_not_convert": [)" + list + "]", 100);
  CHECK(milliseconds([&] { CHECK(bytes(read_well(config), Part::attention) == 100 * (12'288 + 4 * 8)); }) < 1000);
}

TEST_CASE("a hostile pattern takes time in proportion to the name, not beyond it") {
  const std::string name = std::string(100'000, 'a') + "!";
  const ModulePatterns patterns({"re:(a+)+$", "re:(a|a)*b", "re:^(a?){50}a{50}$"});
  CHECK(milliseconds([&] { CHECK_FALSE(patterns.match(name)); }) < 1000);
  // a star that fails late: the product of both lengths at most, never a power
  CHECK(milliseconds([&] { CHECK_FALSE(matches_glob(std::string(10'000, 'a'), "*a*a*a*a*a*a*a*a*b")); }) < 1000);
}

}  // namespace hf_quantization_test
