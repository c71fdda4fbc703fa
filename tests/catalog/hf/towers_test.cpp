// Is every vision and audio tower counted to the last parameter, and is an unknown one never guessed?

#include "catalog/hf/towers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "real_files.hpp"

namespace hf_towers_test {

using namespace ridge;
using catalog::ConfigLog;
using catalog::Towers;
namespace fs = std::filesystem;

namespace {

struct Counted {
  Towers towers;
  ConfigLog log;

  bool remarks(std::string_view text) const {
    return std::ranges::any_of(log.remarks, [&](const std::string& one) { return one.find(text) != one.npos; });
  }
  bool complains(std::string_view where) const {
    return std::ranges::any_of(log.errors, [&](const Error& one) { return one.where.find(where) != one.where.npos; });
  }
};

Counted count(std::string_view text, double hidden) {
  Counted counted;
  counted.log.place = "config.json";
  const auto json = catalog::parse_json(text, "config.json");
  REQUIRE(json);
  counted.towers = catalog::count_towers(catalog::ConfigNode(*json, "", counted.log), hidden);
  return counted;
}

std::string config(std::string_view family, std::string_view vision, std::string_view more = "") {
  return R"({"model_type": ")" + std::string(family) + R"(", "vision_config": {)" + std::string(vision) + "}" +
         std::string(more) + "}";
}

void check_vision(const std::string& text, double hidden, double wanted) {
  CAPTURE(text);
  const Counted counted = count(text, hidden);
  CHECK(counted.log.errors.empty());
  CHECK_FALSE(counted.towers.uncounted);
  CHECK(counted.towers.audio == 0);
  CHECK(std::llround(counted.towers.vision) == std::llround(wanted));
}

constexpr std::string_view kSiglip896 = R"("model_type": "siglip_vision_model", "hidden_size": 1152,
  "intermediate_size": 4304, "num_hidden_layers": 27, "image_size": 896, "patch_size": 14, "vision_use_head": false)";

constexpr std::string_view kGemma4Large = R"("model_type": "gemma4_vision", "hidden_size": 1152,
  "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "num_key_value_heads": 16,
  "head_dim": 72, "patch_size": 16, "position_embedding_size": 10240, "standardize": true,
  "use_clipped_linears": false)";

constexpr std::string_view kGemma4Small = R"("model_type": "gemma4_vision", "hidden_size": 768,
  "intermediate_size": 3072, "num_hidden_layers": 16, "num_attention_heads": 12, "num_key_value_heads": 12,
  "head_dim": 64, "patch_size": 16, "position_embedding_size": 10240, "standardize": false,
  "use_clipped_linears": true)";

constexpr std::string_view kGemma4Audio = R"(, "audio_config": {"model_type": "gemma4_audio", "hidden_size": 1024,
  "num_hidden_layers": 12, "num_attention_heads": 8, "conv_kernel_size": 5, "output_proj_dims": 1536,
  "subsampling_conv_channels": [128, 32], "use_clipped_linears": true})";

constexpr std::string_view kMllama = R"("model_type": "mllama_vision_model", "hidden_size": 1280, "image_size": 560,
  "intermediate_size": 5120, "max_num_tiles": 4, "num_channels": 3, "num_global_layers": 8, "num_hidden_layers": 32,
  "patch_size": 14, "vision_output_dim": 7680,
  "supported_aspect_ratios": [[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]])";

constexpr std::string_view kKimi = R"("init_pos_emb_height": 64, "init_pos_emb_width": 64, "merge_kernel_size": [2, 2],
  "mm_hidden_size": 1152, "mm_projector_type": "patchmerger", "patch_size": 14, "text_hidden_size": 7168,
  "vt_hidden_size": 1152, "vt_intermediate_size": 4304, "vt_num_hidden_layers": 27)";

std::string qwen3(std::string_view type, std::string_view sizes, std::string_view deepstack) {
  return R"("model_type": ")" + std::string(type) + R"(", "in_channels": 3, "num_position_embeddings": 2304,
    "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2, )" +
         std::string(sizes) + R"(, "deepstack_visual_indexes": )" + std::string(deepstack);
}

constexpr std::string_view kQwen3Small = R"("depth": 24, "hidden_size": 1024, "intermediate_size": 4096)";
constexpr std::string_view kQwen3Large = R"("depth": 27, "hidden_size": 1152, "intermediate_size": 4304)";

std::string sized(std::string_view sizes, int out) {
  return std::string(sizes) + R"(, "out_hidden_size": )" + std::to_string(out);
}

}  // namespace

TEST_CASE("Gemma 3's SigLIP and projector have the tensors of the published checkpoints") {
  // By hand, H = 1152, I = 4304: patches 3*14^2*H + H = 678,528; positions (896/14)^2 * H = 4,718,592;
  // a layer 4(H^2 + H) + 2HI + I + H + 4H = 15,239,504 and 27 of them 411,466,608; post_layernorm 2H = 2,304.
  // Sum 416,866,032. Projector into 2560: H * 2560 + H = 2,950,272.
  check_vision(config("gemma3", kSiglip896), 2560, 416'866'032 + 2'950'272);
  check_vision(config("gemma3", kSiglip896), 3840, 416'866'032 + 4'424'832);
  check_vision(config("gemma3", kSiglip896), 5376, 416'866'032 + 6'194'304);
}

TEST_CASE("SigLIP's pooling head is counted unless the file says it is absent") {
  // H = 8, I = 16: probe 8, in_proj 8*24 + 24 = 216, out_proj 72, norm 16, MLP 8*16 + 16 + 16*8 + 8 = 280: 592.
  const std::string small = R"("model_type": "siglip_vision_model", "hidden_size": 8, "intermediate_size": 16,
    "num_hidden_layers": 1, "image_size": 4, "patch_size": 2, "num_channels": 3, "vision_use_head": )";
  const double with = count(config("gemma3", small + "true"), 4).towers.vision;
  const double without = count(config("gemma3", small + "false"), 4).towers.vision;
  CHECK(with - without == 592);
}

TEST_CASE("Gemma 4's towers count their clip scalars as elements") {
  check_vision(config("gemma4", kGemma4Large, R"(, "audio_config": null)"), 2816, 569'550'384 + 3'244'032);  // 26B-A4B
  check_vision(config("gemma4", kGemma4Large), 5376, 569'550'384 + 6'193'152);                               // 31B

  for (const auto& [hidden, vision, audio] :
       {std::tuple{1536.0, 167'365'056.0 + 1'179'648, 304'825'088.0 + 2'359'296},     // E2B
        std::tuple{2560.0, 167'365'056.0 + 1'966'080, 304'825'088.0 + 3'932'160}}) {  // E4B
    const Counted counted = count(config("gemma4", kGemma4Small, kGemma4Audio), hidden);
    CHECK(counted.log.errors.empty());
    CHECK_FALSE(counted.towers.uncounted);
    CHECK(counted.towers.vision == vision);
    CHECK(counted.towers.audio == audio);
  }
}

TEST_CASE("Gemma 3n's audio tower is counted, its MobileNet is not") {
  const Counted counted = count(config("gemma3n", R"("model_type": "gemma3n_vision", "hidden_size": 2048)",
                                       R"(, "audio_config": {"model_type": "gemma3n_audio", "hidden_size": 1536,
    "input_feat_size": 128, "conf_num_hidden_layers": 12, "conf_num_attention_heads": 8, "conf_conv_kernel_size": 5,
    "sscp_conv_channel_size": [128, 32], "sscp_conv_kernel_size": [[3, 3], [3, 3]], "vocab_size": 128,
    "sscp_conv_stride_size": [[2, 2], [2, 2]]})"),
                                2048);
  CHECK(counted.log.errors.empty());
  CHECK(counted.towers.vision == 0);
  CHECK(counted.towers.uncounted);
  CHECK(counted.remarks(R"(vision tower "gemma3n_vision" is not counted)"));
  CHECK(counted.towers.audio == 681'348'640 + 3'345'408);
}

TEST_CASE("a Gemma 3n audio tower with other strides is not counted as if it had the usual ones") {
  const Counted counted = count(R"({"model_type": "gemma3n", "audio_config": {"model_type": "gemma3n_audio",
    "sscp_conv_stride_size": [[2, 2], [1, 2]]}})",
                                2048);
  CHECK(counted.towers.uncounted);
  CHECK(counted.towers.audio == 0);
  CHECK(counted.remarks(R"(audio tower "gemma3n_audio" is not counted)"));
}

TEST_CASE("Llama 4's tower and projector have the tensors of Scout") {
  check_vision(config("llama4", R"("model_type": "llama4_vision_model", "hidden_size": 1408, "image_size": 336,
    "intermediate_size": 5632, "num_channels": 3, "num_hidden_layers": 34, "patch_size": 14,
    "projector_input_dim": 4096, "projector_output_dim": 4096, "vision_output_dim": 4096)"),
               5120, 850'960'896 + 20'971'520);
}

TEST_CASE("Mllama's tower counts its tile tables and gates") {
  check_vision(config("mllama", kMllama), 4096, 863'567'379 + 31'461'376);  // 11B
  check_vision(config("mllama", kMllama), 8192, 863'567'379 + 62'922'752);  // 90B
}

TEST_CASE("Pixtral's tower takes the projector of the family around it") {
  const std::string tower = R"("model_type": "pixtral", "hidden_size": 1024, "intermediate_size": 4096,
    "num_channels": 3, "num_hidden_layers": 24, "patch_size": )";
  const std::string mistral = R"(, "multimodal_projector_bias": false, "spatial_merge_size": 2,
    "vision_feature_layer": -1)";
  check_vision(config("mistral3", tower + "14", mistral), 5120, 403'305'472 + 35'652'608);  // Mistral-Small-3.1
  check_vision(config("llava", tower + "16"), 5120, 403'489'792 + 31'467'520);              // Pixtral-12B
}

TEST_CASE("LLaVA-1.5's CLIP tower and projector make up the checkpoint's rest") {
  // 7,063,427,072 stored, of which Vicuna with 32,064 tokens is 6,738,939,904.
  check_vision(config("llava", R"("model_type": "clip_vision_model", "hidden_size": 1024, "image_size": 336,
    "intermediate_size": 4096, "num_hidden_layers": 24, "patch_size": 14)"),
               4096, 7'063'427'072 - 6'738'939'904);
}

TEST_CASE("Qwen2-VL's tower makes up the 7B's rest") {
  // 8,291,375,616 stored, of which Qwen2-7B is 7,615,616,512.
  check_vision(config("qwen2_vl", R"("depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "in_chans": 3,
    "hidden_size": 3584, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2)"),
               3584, 8'291'375'616 - 7'615'616'512);
}

TEST_CASE("Qwen2.5-VL's tower takes the class's sizes where the file has none, and says so") {
  // By hand for the 3B, H = 1280, m = 3420, merged s = 4H = 5120: patches 3*2*14^2*H = 1,505,280; a block
  // 2H + 4(H^2 + H) + 3Hm + 2m + H = 19,702,200 and 32 of them 630,470,400; merger H + s^2 + s + 2048 s + 2048
  // = 36,708,608. Sum 668,684,288.
  check_vision(config("qwen2_5_vl", R"("depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "in_chans": 3,
    "out_hidden_size": 2048, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2)"),
               2048, 668'684'288);
  const std::string sparse = config("qwen2_5_vl", R"("model_type": "qwen2_5_vl", "hidden_size": 1280, "in_chans": 3,
    "intermediate_size": 3456, "out_hidden_size": 5120, "spatial_patch_size": 14)");  // the 32B's file
  check_vision(sparse, 5120, 688'841'984);
  CHECK(count(sparse, 5120).remarks("vision_config.depth is not in the file: 32 by default"));
}

TEST_CASE("Qwen3-VL's tower counts one more merger for each deepstack layer") {
  const auto small = [](int out) { return qwen3("qwen3_vl", sized(kQwen3Small, out), "[5, 11, 17]"); };
  check_vision(config("qwen3_vl", small(2048)), 2048, 406'957'056);
  check_vision(config("qwen3_vl", small(2560)), 2560, 415'347'712);
  const auto large = [](std::string_view type, int out) { return qwen3(type, sized(kQwen3Large, out), "[8, 16, 24]"); };
  check_vision(config("qwen3_vl", large("qwen3_vl", 4096)), 4096, 576'388'336);
  check_vision(config("qwen3_vl", large("qwen3_vl", 5120)), 5120, 595'266'800);
  check_vision(config("qwen3_vl_moe", large("qwen3_vl_moe", 2048)), 2048, 538'631'408);
}

TEST_CASE("Qwen3.5's tower is Qwen3-VL's without deepstack") {
  const auto tower = [](std::string_view type, int out) { return qwen3(type, sized(kQwen3Large, out), "[]"); };
  check_vision(config("qwen3_5", tower("qwen3_5", 5120)), 5120, 460'730'096);                 // 27B
  check_vision(config("qwen3_5_moe", tower("qwen3_5_moe", 2048)), 2048, 446'571'248);         // 35B-A3B
  check_vision(config("qwen3_5_moe", tower("qwen3_5_moe_vision", 3072)), 3072, 451'290'864);  // 122B-A10B
  check_vision(config("qwen3_5_moe", tower("qwen3_5_moe", 4096)), 4096, 456'010'480);         // 397B-A17B
  check_vision(config("qwen3_5_moe", R"("model_type": "qwen3_5_moe")"), 3584,
               count(config("qwen3_5_moe", tower("qwen3_5_moe", 3584)), 3584).towers.vision);  // class defaults
}

TEST_CASE("Kimi K2.5's MoonViT is found by the model around it") {
  check_vision(config("kimi_k25", kKimi), 7168, 416'866'032 + 54'277'888);
  check_vision(config("kimi_k25", std::string(kKimi) + R"(, "model_type": "")"), 7168, 416'866'032 + 54'277'888);
}

TEST_CASE("GLM-4.1V's blocks are as wide inside as its output, its merger as intermediate_size") {
  // By hand, H = 1536, O = 4096: patches 3*2*14^2*H + H = 1,807,872; positions 24^2 * H = 884,736; a block
  // 4H^2 + 3HO + 2H = 28,314,624 and 24 of them 679,550,976; two norms 2H = 3,072; downsampling 4HO + O = 25,169,920;
  // merger O^2 + 2O + 3*13696 O = 185,081,856.
  check_vision(config("glm4v", R"("model_type": "glm4v", "depth": 24, "hidden_size": 1536, "image_size": 336,
    "in_channels": 3, "intermediate_size": 13696, "out_hidden_size": 4096, "patch_size": 14, "spatial_merge_size": 2,
    "temporal_patch_size": 2, "attention_bias": false)"),
               4096, 892'498'432);
}

TEST_CASE("SmolVLM's tower and connector make up the checkpoint's rest") {
  // 256,484,928 stored (SmolDocling-256M, of the same shape), of which SmolLM2-135M with 49,280 tokens, untied, is
  // 162,974,016.
  check_vision(config("smolvlm", R"("model_type": "smolvlm_vision", "hidden_size": 768, "intermediate_size": 3072,
    "num_hidden_layers": 12, "image_size": 512, "patch_size": 16)",
                      R"(, "scale_factor": 4)"),
               576, 256'484'928 - 162'974'016);
}

TEST_CASE("InternVL's tower reads sizes written as pairs") {
  // H = 1024: cls H, patches 3*14^2*H + H = 603,136, positions 1025 H, a layer 4(H^2 + H) + 2*4096 H + 4096 + H + 4H
  // + 2H = 12,598,272 and 24 of them 302,358,528: 304,012,288. Projector: 4H merged, norm 8,192, into 896 3,670,912,
  // 896 into 896 803,712.
  check_vision(config("internvl", R"("model_type": "internvl_vision", "hidden_size": 1024, "intermediate_size": 4096,
    "num_hidden_layers": 24, "image_size": [448, 448], "patch_size": [14, 14], "attention_bias": true)",
                      R"(, "downsample_ratio": 0.5)"),
               896, 304'012'288 + 8'192 + 3'670'912 + 803'712);
}

TEST_CASE("without a tower there is nothing to count and nothing to say") {
  for (const std::string_view text :
       {R"({"model_type": "llama"})", R"({"vision_config": null, "audio_config": null})"}) {
    const Counted counted = count(text, 4096);
    CHECK(counted.towers.vision == 0);
    CHECK(counted.towers.audio == 0);
    CHECK_FALSE(counted.towers.uncounted);
    CHECK(counted.log.errors.empty());
    CHECK(counted.log.remarks.empty());
  }
}

TEST_CASE("a tower of an unknown kind is named, not guessed") {
  for (const std::string type :
       {"internvit", "timm", "timm_wrapper", "gemma4_unified_vision", "qwen3_vl_next", "step3"}) {
    const Counted counted = count(config(type, R"("model_type": ")" + type + R"(", "hidden_size": 1024)"), 4096);
    CHECK(counted.towers.vision == 0);
    CHECK(counted.towers.uncounted);
    CHECK(counted.remarks("vision tower \"" + type + "\" is not counted: "));
    CHECK(counted.log.errors.empty());
  }
  CHECK(count(R"({"vision_config": {}})", 4096).remarks(R"(vision tower "" is not counted)"));
  const Counted audio = count(R"({"audio_config": {"model_type": "whisper"}})", 4096);
  CHECK(audio.towers.uncounted);
  CHECK(audio.remarks(R"(audio tower "whisper" is not counted)"));
}

TEST_CASE("a known tower behind an unknown projector is not counted") {
  const Counted counted = count(config("paligemma", kSiglip896), 2048);
  CHECK(counted.towers.vision == 0);
  CHECK(counted.towers.uncounted);
  CHECK(counted.remarks(R"(the vision projector of "paligemma" is not known)"));
}

TEST_CASE("Kimi K2.5's sizes have no defaults: what is missing is an error") {
  const Counted counted = count(config("kimi_k25", R"("mm_projector_type": "patchmerger")"), 7168);
  for (const std::string_view key :
       {"vt_hidden_size", "vt_intermediate_size", "vt_num_hidden_layers", "patch_size", "init_pos_emb_height",
        "init_pos_emb_width", "merge_kernel_size", "mm_hidden_size"})
    CHECK(counted.complains(std::string("vision_config.") + std::string(key)));
  CHECK(count(config("kimi_k25", R"("mm_projector_type": "mlp")"), 7168).towers.uncounted);
}

TEST_CASE("no value of a stranger's file makes a count infinite or passes unseen") {
  const std::vector<std::string_view> families = {"gemma3",  "llava",  "mistral3", "idefics3", "smolvlm",    "internvl",
                                                  "gemma4",  "llama4", "mllama",   "qwen2_vl", "qwen2_5_vl", "qwen3_vl",
                                                  "qwen3_5", "glm4v",  "kimi_k25", "gemma3n"};
  const std::vector<std::string_view> keys = {
      "hidden_size",       "patch_size",      "vt_hidden_size",   "intermediate_size", "embed_dim",
      "num_hidden_layers", "depth",           "image_size",       "head_dim",          "mlp_ratio",
      "num_channels",      "vision_use_head", "merge_kernel_size"};
  const std::vector<std::string_view> values = {"0",    "-1",   "1.5",   "1e300",  "1e12",       "\"NaN\"",
                                                "true", "[]",   "[0]",   "[0, 0]", "[1, 2, 3]",  "[1e12, 1e12]",
                                                "{}",   "null", "\"x\"", "[[]]",   "[\"a\", 1]", "999999999999"};
  for (const std::string_view family : families) {
    for (const std::string_view key : keys) {
      for (const std::string_view value : values) {
        const std::string entry = "\"" + std::string(key) + "\": " + std::string(value);
        const std::string text = config(family, entry, ", \"audio_config\": {" + entry + "}");
        CAPTURE(text);
        const Towers towers = count(text, 1e12).towers;
        CHECK(std::isfinite(towers.vision));
        CHECK(std::isfinite(towers.audio));
        CHECK(towers.vision >= 0);
        CHECK(towers.audio >= 0);
      }
    }
  }
  for (const std::string_view value : {"0", "-1", "[0, 0]", "[14]", "\"14\"", "1.5"})
    CHECK(count(config("glm4v", "\"patch_size\": " + std::string(value)), 4096).complains("vision_config.patch_size"));
  for (const std::string_view value : {"0", "-0.5", "1e-300", "2", "\"half\""})
    CHECK(count(config("internvl", "", ", \"downsample_ratio\": " + std::string(value)), 896)
              .complains("downsample_ratio"));
  CHECK(count(config("gemma4", "", R"(, "audio_config": {"num_attention_heads": 0})"), 1536)
            .complains("attention_heads"));
  CHECK(count(config("qwen3_vl", R"("deepstack_visual_indexes": 3)"), 2048).complains("deepstack_visual_indexes"));
  CHECK(count(R"({"vision_config": 7, "audio_config": "x"})", 4096).log.errors.size() == 2);
}

TEST_CASE("every published config at hand with a tower is counted, or said not to be") {
  int towers = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(testing::real_files("models").path)) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto json = catalog::parse_json(text, entry.path().string());
    REQUIRE(json);
    const catalog::JsonValue* vision = json->find("vision_config");
    const bool has_vision = vision != nullptr && !vision->is_null();
    const Counted counted = count(text, 4096);
    CHECK(counted.log.errors.empty());
    CHECK((counted.towers.vision > 0 || counted.towers.uncounted) == has_vision);
    towers += has_vision;
  }
  CHECK(towers >= 15);
}

}  // namespace hf_towers_test
