// Is an engine's command what its facts say, and is what it cannot say said?

#include "engine/engine_commands.hpp"

#include <doctest/doctest.h>

#include "base/text/text.hpp"
#include "catalog_library.hpp"

namespace engine_commands_test {

using namespace ridge;
using ridge::testing::library;

namespace {

const Engine& engine(std::string_view name) { return *find_named(library().engines, name); }

EngineSetup setup_of(const std::string& model) {
  EngineSetup setup;
  setup.model = &testing::model(model);
  setup.kv = setup.model->precision.value.kv;
  setup.sequences = 64;
  return setup;
}

bool says(const EngineCommand& command, std::string_view words) {
  for (const std::string& note : command.notes) {
    if (contains(note, words)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("flags are found by any of their names, in either spelling, and inside objects") {
  const Engine& vllm = engine("vllm");
  CHECK(find_flag(vllm, "tp")->meaning == Meaning::tensor);
  CHECK(find_flag(vllm, "tensor_parallel_size")->meaning == Meaning::tensor);
  CHECK(find_flag(vllm, "speculative-config.anything")->meaning == Meaning::settings);
  CHECK(!find_flag(vllm, "enforce-eager")->takes_value);
  CHECK(find_flag(vllm, "frobnicate") == nullptr);
  CHECK(find_flag(engine("trtllm"), "tp-size")->meaning == Meaning::tensor);
  CHECK(flag_for(engine("trtllm"), Meaning::tensor) == "--tp_size");
  CHECK(flag_for(engine("trtllm"), Meaning::overlap).empty());
  CHECK(find_flag(engine("sglang"), "enable-ep-moe")->versions == "deprecated for ep-size");
  CHECK(format_named(vllm, "FP8_E4M3") == std::nullopt);  // the reader lowers words first
  CHECK(format_named(vllm, "fp8-e4m3") == "fp8");
}

TEST_CASE("the cache's format follows from what the chip multiplies") {
  for (const Engine& one : library().engines) {
    CAPTURE(one.name);
    if (one.kernels == KernelFamily::ggml) {  // whatever the chip
      CHECK(kv_format(one, *find_named(library().chips, "b200"), true) == "f16");
      continue;
    }
    CHECK(kv_format(one, *find_named(library().chips, "h100-sxm"), true) == "bf16");
    CHECK(kv_format(one, *find_named(library().chips, "b200"), true) == "fp8");
    // vLLM's auto is the model's own type: a cache beside bf16 weights is no narrower.
    CHECK(kv_format(one, *find_named(library().chips, "b200"), false) == "bf16");
    CHECK(kv_format(one, *find_named(library().chips, "mi355x"), true) == "fp8");
  }
}

TEST_CASE("what is released in narrow weights is not quantized by a flag: another checkpoint is asked for") {
  // vLLM took --quantization fp8 of DeepSeek-V3 for its own blocks, so that the command ran steps 18 % longer than planned
  for (const char* model : {"deepseek-v3", "gpt-oss-120b"}) {
    EngineSetup setup = setup_of(model);
    setup.weights = "fp8";
    const EngineCommand command = engine_command(engine("vllm"), setup);
    CHECK(!contains(command.text, "--quantization"));
    CHECK(says(command, "needs a checkpoint with weights in fp8"));
  }
  EngineSetup setup = setup_of("llama-3.1-70b");
  setup.weights = "fp8";
  CHECK(contains(engine_command(engine("vllm"), setup).text, "--quantization fp8"));
}

TEST_CASE("experts in groups, as each engine says it") {
  EngineSetup setup = setup_of("deepseek-v3");
  setup.layout.attention_data = setup.layout.expert = 8;
  const EngineCommand vllm = engine_command(engine("vllm"), setup);
  CHECK(contains(vllm.text, "vllm serve deepseek-ai/DeepSeek-V3 \\\n  --data-parallel-size 8 \\\n"));
  CHECK(contains(vllm.text, "--enable-expert-parallel"));
  const EngineCommand sglang = engine_command(engine("sglang"), setup);
  CHECK(contains(sglang.text, "--tp-size 8 \\\n  --dp-size 8 \\\n  --enable-dp-attention \\\n  --moe-dense-tp-size 1"));
  CHECK(contains(sglang.text, "--ep-size 8 \\\n  --moe-a2a-backend deepep"));
  const EngineCommand trtllm = engine_command(engine("trtllm"), setup);
  CHECK(contains(trtllm.text, "enable_attention_dp: true\nEOF\n"));
  CHECK(contains(trtllm.text, "--extra_llm_api_options options.yaml"));
  for (const EngineCommand& one : {vllm, sglang, trtllm}) CHECK(one.exact);
}

TEST_CASE("an engine known only by its facts is written, and what it lacks is a note") {
  Engine acme;
  acme.name = "acme";
  acme.title = "Acme";
  acme.flags = {{"ways", Meaning::tensor}, {"max", Meaning::sequences}, {"budget", Meaning::token_budget}};
  CHECK(!acme.is_written());
  acme.writing.command = {{"start", "acme {model}"}};
  CHECK(acme.is_written());
  EngineSetup setup = setup_of("llama-3.1-70b");
  setup.layout.tensor = 4;
  const EngineCommand command = engine_command(acme, setup);
  CHECK(command.exact);
  CHECK(contains(command.text, " \\\n  --ways 4 \\\n  --max 64 \\\n  --budget 8192"));
  setup.layout.pipeline = 2;
  const EngineCommand without = engine_command(acme, setup);
  CHECK(!without.exact);
  CHECK(says(without, "Acme has no flag for pipeline"));
  setup.layout.pipeline = 1;
  setup.layout.context = 2;
  CHECK(says(engine_command(acme, setup), "no context parallelism: this runs as tp8"));
}

}  // namespace engine_commands_test
