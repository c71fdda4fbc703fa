// Does an engine's own log agree? Lines that vLLM and SGLang print when they start, as their users posted them
// (catalog/sources.toml: vllm-start-logs), against what a plan says a chip holds.

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "library/calibrations.hpp"
#include "serve/step/step.hpp"
#include "serve/step/step_formats.hpp"

namespace engine_logs_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

StepOperations plan_of(const std::string& name, double tensor, FormatChoice choice) {
  const Model* model = find_named(library().models, name);
  const Chip* chip = find_named(library().chips, "h100-sxm");
  if (model == nullptr || chip == nullptr) FAIL("not in the catalog: ", name);
  Layout layout;
  layout.tensor = tensor;
  return step_operations(*model, layout, step_formats(*model, library(), *chip, choice).value(), {});
}

}  // namespace

TEST_CASE("weights on a chip are what vLLM says it loaded") {
  // "Loading model weights took 14.9888 GB": Llama 3.1 8B, one RTX 3090 (issue 10517); GB there are GiB
  CHECK(weights_held(plan_of("llama-3.1-8b", 1, {"bf16", {}, "bf16"})) / kGib == Approx(14.9888).epsilon(0.003));
  // "... took 67.7229 GB": Llama 3.1 70B in 8 bit, embedding and head in 16, one chip (pull request 12569)
  CHECK(weights_held(plan_of("llama-3.1-70b", 1, {"int8", {}, "bf16"})) / kGib == Approx(67.7229).epsilon(0.003));
}

TEST_CASE("a token of cache is what the engines' blocks say") {
  // kv_cache_size=3.81GiB in 1952 blocks of 16 tokens: Llama 3.1 8B (issue 10517); 3.81 is rounded
  const double small = context_held(plan_of("llama-3.1-8b", 1, {"bf16", {}, "bf16"}), 1000) / 1000;
  CHECK(small == Approx(3.81 * kGib / (1952 * 16)).epsilon(0.002));
  // "#tokens: 367404, K size: 8.23 GB, V size: 8.23 GB": Qwen3 235B over 4 chips, SGLang (issue 21348)
  const double large = context_held(plan_of("qwen3-235b-a22b-fp8", 4, {{}, {}, "bf16"}), 1000) / 1000;
  CHECK(large == Approx(2 * 8.23 * kGib / 367404).epsilon(0.002));
}

TEST_CASE("the cache that is left beside weights, activations and the process is within a tenth of vLLM's") {
  // Llama 3.1 8B on an RTX 3090, prompts of up to 20,000 tokens at once (issue 10517): total 23.58 GiB at 0.90; peak of
  // PyTorch 17.06 GiB, so 2.07 GiB of activations beside 14.99 of weights; 1952 blocks = 31,232 tokens
  const StepOperations plan = plan_of("llama-3.1-8b", 1, {"bf16", {}, "bf16"});
  const double activations = activations_held(plan, 20000);
  CHECK(activations / kGib == Approx(17.06 - 14.9888).epsilon(0.1));
  const double left = 0.9 * 23.58 * kGib - weights_held(plan) - activations - process_reserve(library()).value();
  CHECK(left / (context_held(plan, 1000) / 1000) == Approx(31232).epsilon(0.1));
}

}  // namespace engine_logs_test
