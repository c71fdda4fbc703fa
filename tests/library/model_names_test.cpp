// Is a model found by the names of its checkpoints, and no other model taken for it?

#include "library/model_names.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "roofline/scenario.hpp"

namespace model_names_test {

using namespace ridge;
using ridge::testing::library;

namespace {

struct Named {
  const char *name, *model, *weights;
};

}  // namespace

TEST_CASE("checkpoints of one architecture are its model") {
  for (const Named& one : {Named{"deepseek-ai/DeepSeek-V3", "deepseek-v3", ""},
                           {"DEEPSEEK-V3", "deepseek-v3", ""},
                           {"deepseek-ai/DeepSeek-V3-0324", "deepseek-v3", ""},
                           {"deepseek-ai/DeepSeek-V3-Base", "deepseek-v3", ""},
                           {"/root/.cache/huggingface/deepseek-V3/", "deepseek-v3", ""},
                           {"/models/DeepSeek-R1-BF16", "deepseek-r1", "bf16"},
                           {"nvidia/DeepSeek-R1-0528-FP4", "deepseek-r1", "nvfp4"},
                           {"deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2", ""},
                           {"meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b", ""},
                           {"meta-llama/Meta-Llama-3.1-8B", "llama-3.1-8b", ""},
                           {"neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8", "llama-3.1-70b", "fp8"},
                           {"meta-llama/Llama-2-7b-chat-hf", "llama-2-7b", ""},
                           {"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b", ""},
                           {"Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen3-235b-a22b-fp8", ""},
                           {"Qwen/Qwen3-32B-AWQ", "qwen3-32b", "w4a16"},
                           {"RedHatAI/Qwen2.5-72B-Instruct-quantized.w8a8", "qwen2.5-72b", "int8"},
                           {"/hf/models--Qwen--Qwen3-8B/snapshots/abc", "qwen3-8b", ""}}) {
    CAPTURE(one.name);
    const auto match = find_model(library(), one.name);
    REQUIRE(match.has_value());
    CHECK(match->model->name == one.model);
    CHECK(match->weights.value_or("") == one.weights);
    CHECK(match->note.empty() == is_called(*match->model, one.name));
  }
}

TEST_CASE("another architecture is another model") {
  for (const char* name : {"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "deepseek-ai/DeepSeek-V3.5", "Qwen/Qwen3-4B",
                           "meta-llama/Llama-3.1-70B-sqrt-2", "", "/", "-", "instruct", "fp8", "models--", "v0.1"}) {
    CAPTURE(name);
    CHECK(!find_model(library(), name).has_value());
  }
}

TEST_CASE("a variant is answered as its model, and that is said") {
  Scenario scenario;
  scenario.model = "meta-llama/Llama-3.1-70B-Instruct";
  scenario.machine = "hgx-h100";
  const auto resolved = resolve(scenario, library());
  REQUIRE(resolved.has_value());
  CHECK(resolved->model == "llama-3.1-70b");
  CHECK(resolved->notes.back().find("the same architecture") != std::string::npos);
  scenario.model = "Qwen/Qwen3-32B-AWQ";  // other weights than the catalog's: --weights must say so
  CHECK(!resolve(scenario, library()).has_value());
}

}  // namespace model_names_test
