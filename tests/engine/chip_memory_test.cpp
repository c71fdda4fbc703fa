// Does an engine take of a chip what its own rule says?

#include "engine/chip_memory.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "engine/engine.hpp"
#include "library/engines.hpp"
#include "serve/deployment.hpp"

namespace chip_memory_test {

using namespace ridge;
using doctest::Approx;
using ridge::testing::library;

namespace {

/// Of a chip of 100 bytes with 2 for the process, at a utilization of 0.9.
double usable(MemoryRule rule, double weights, double activations) {
  const MemoryTerms terms{Bytes<double>(100), Bytes<double>(2), 0.9, rule, 8192};
  return usable_memory(terms, Bytes<double>(weights), Bytes<double>(activations)).value();
}

ServingGround ground_under(const char* engine, std::optional<double> said) {
  ServingQuestion question;
  question.scenario.model = "llama-3.1-70b";
  question.scenario.machine = "hgx-h100";
  question.engine = engine;
  question.memory_utilization = said;
  return serving_ground(question, library()).value();
}

}  // namespace

TEST_CASE("an engine takes memory by its own rule") {
  // 40 of weights, 5 of activations, 2 of the process
  CHECK(usable(MemoryRule::everything, 40, 5) == Approx(90));
  CHECK(usable(MemoryRule::weights_and_cache, 40, 5) == Approx(97));        // 90 + 5 + 2
  CHECK(usable(MemoryRule::free, 40, 5) == Approx(47 + 0.9 * (100 - 47)));  // of what the others leave
}

TEST_CASE("no engine takes more than there is") {
  for (const MemoryRule rule : {MemoryRule::everything, MemoryRule::weights_and_cache, MemoryRule::free}) {
    CAPTURE(name_of(rule));
    CHECK(usable(rule, 40, 30) <= 100);
    CHECK(usable(rule, 99, 30) <= 100);
  }
}

TEST_CASE("the engine's facts decide where nobody says a share, and its rule where somebody does") {
  const auto utilization = [](const ServingGround& ground) { return ground.numbers.memory_utilization.value(); };
  CHECK(utilization(ground_under("vllm", {})) == 0.92);
  CHECK(ground_under("vllm", {}).engine.memory_rule == MemoryRule::everything);
  CHECK(utilization(ground_under("sglang", {})) == 0.88);
  CHECK(utilization(ground_under("sglang", 0.7)) == 0.7);
  CHECK(ground_under("sglang", 0.7).engine.memory_rule == MemoryRule::weights_and_cache);
  CHECK(ground_under("trtllm-1.0", {}).engine.memory_rule == MemoryRule::free);
  CHECK(utilization(ground_under("atom", {})) == 0.9);
}

}  // namespace chip_memory_test
