// Is every kernel that a layer launches counted? Quantizers of block scales, an indexer's two, a norm over all heads, the
// products that unpack; and which routers are balanced.

#include <algorithm>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "serve/step/step.hpp"
#include "serve/step/step_formats.hpp"

namespace launched_kernels_test {

using namespace ridge;
using ridge::testing::library;

namespace {

const Model& model(const std::string& name) {
  const Model* found = find_named(library().models, name);
  if (found == nullptr) FAIL("no model ", name);
  return *found;
}

StepOperations operations(const std::string& name, const std::string& chip, const FormatChoice& choice,
                          double tensor = 1) {
  Layout layout;
  layout.tensor = tensor;
  const StepFormats formats = step_formats(model(name), library(), *find_named(library().chips, chip), choice).value();
  return step_operations(model(name), layout, formats, {.domain = 8});
}

}  // namespace

TEST_CASE("block scales take a kernel before each product, one scale a tensor none") {
  // Llama 3.1 8B: queries with keys and values, results, gate with up, down: four in each of 32 layers
  const double tensor = operations("llama-3.1-8b", "h100-sxm", {"fp8", {}, {}}).small_kernels;
  const double blocks = operations("llama-3.1-8b", "h100-sxm", {"fp8-block128", {}, {}}).small_kernels;
  CHECK(blocks == doctest::Approx(tensor + 4 * 32));
  CHECK(operations("llama-3.1-8b", "h100-sxm", {"bf16", {}, {}}).small_kernels == doctest::Approx(tensor));
  // a chip without 8-bit products widens the weights and quantizes nothing
  CHECK(operations("llama-3.1-8b", "a100-sxm-80gb", {"fp8-block128", {}, {}}).small_kernels == doctest::Approx(tensor));
}

TEST_CASE("where the host looks up kernels at every call, that is worth launches of its own") {
  const auto launches = [](const std::string& name, const FormatChoice& choice) {
    return operations(name, "b200", choice).launches;
  };
  const EngineLookUps all{"nvfp4", "nvfp4", 8}, experts{"", "nvfp4", 8};
  // Llama 3.1 8B: four products in each of 32 layers; the head stays as it was
  const double plain = launches("llama-3.1-8b", {"nvfp4", {}, {}});
  CHECK(launches("llama-3.1-8b", {"nvfp4", {}, {}, {}, all}) == doctest::Approx(plain + 8 * 4 * 32));
  CHECK(launches("llama-3.1-8b", {"nvfp4", {}, {}, {}, experts}) == doctest::Approx(plain));
  CHECK(launches("llama-3.1-8b", {"fp8", {}, {}, {}, all}) ==
        doctest::Approx(launches("llama-3.1-8b", {"fp8", {}, {}})));
  // DeepSeek-V3: three dense layers of two products, 58 with two of shared experts and the experts; attention in 16 bit
  const double latent = launches("deepseek-v3", {"nvfp4", {}, {}});
  CHECK(launches("deepseek-v3", {"nvfp4", {}, {}, {}, all}) == doctest::Approx(latent + 8 * (3 * 2 + 58 * 3)));
  CHECK(launches("deepseek-v3", {"nvfp4", {}, {}, {}, experts}) == doctest::Approx(latent + 8 * 58));
  // a chip without a 4-bit unit unpacks them, by kernels that nobody looks up
  const auto h100 = [](const FormatChoice& choice) { return operations("llama-3.1-8b", "h100-sxm", choice).launches; };
  CHECK(h100({"nvfp4", {}, {}, {}, all}) == doctest::Approx(h100({"nvfp4", {}, {}})));
}

TEST_CASE("an indexer scores and chooses before the attention itself") {
  for (const auto& one : operations("deepseek-v3.2", "h200-sxm", {}).attention) CHECK(one.before == 2);
  for (const auto& one : operations("deepseek-v3", "h200-sxm", {}).attention) CHECK(one.before == 0);
  // and has four small kernels of its own beside the norm of its keys, in each of 61 layers
  const double sparse = operations("deepseek-v3.2", "h200-sxm", {}).small_kernels;
  const double dense = operations("deepseek-v3", "h200-sxm", {}).small_kernels;
  CHECK(sparse - dense >= 61 * (4 + 1));
}

TEST_CASE("queries and keys that are normalized over all heads need a sum over the tensor group") {
  const auto sums = [](const StepOperations& plan) {
    return std::count_if(plan.all_reduces.begin(), plan.all_reduces.end(),
                         [](const AllReduceOperation& one) { return one.bytes == 8; });
  };
  CHECK(sums(operations("minimax-m2.5", "h200-sxm", {}, 4)) == 1);
  CHECK(sums(operations("minimax-m2.5", "h200-sxm", {}, 1)) == 0);
  CHECK(sums(operations("qwen3-235b-a22b", "h200-sxm", {}, 4)) == 0);  // by head: each chip has whole heads
}

TEST_CASE("4-bit experts are unpacked where a chip has no 4-bit unit") {
  CHECK(operations("gpt-oss-120b", "h100-sxm", {}).experts.front().kernel.unpacks);
  CHECK_FALSE(operations("gpt-oss-120b", "b200", {}).experts.front().kernel.unpacks);
  CHECK_FALSE(operations("deepseek-v3", "h100-sxm", {}).experts.front().kernel.unpacks);
  CHECK_FALSE(operations("mixtral-8x7b", "h100-sxm", {}).experts.front().kernel.unpacks);
}

TEST_CASE("a router with a correction for each expert is balanced, one with a bias in its projection is not") {
  for (const char* name : {"deepseek-v3", "glm-4.6", "kimi-k2", "minimax-m2.5"}) {
    CAPTURE(name);
    CHECK(operations(name, "h200-sxm", {}).experts.front().balanced_router);
  }
  for (const char* name : {"gpt-oss-120b", "qwen3-235b-a22b", "mixtral-8x7b"}) {
    CAPTURE(name);
    CHECK_FALSE(operations(name, "h200-sxm", {}).experts.front().balanced_router);
  }
}

}  // namespace launched_kernels_test
