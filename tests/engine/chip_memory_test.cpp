// Does an engine take of a chip what its own rule says, and is that the same for the answer and for the planner?

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "engine/engine.hpp"
#include "library/engines.hpp"
#include "serve/memory.hpp"

namespace chip_memory_test {

using namespace ridge;
using namespace ridge::literals;
using doctest::Approx;
using ridge::testing::library;

namespace {

MemoryShare share_of(MemoryRule rule) { return {rule, 0.9, 100, 2}; }

}  // namespace

TEST_CASE("an engine takes memory by its own rule") {
  // a chip of 100: 40 of weights, 5 of activations, 2 of the process, a utilization of 0.9
  CHECK(usable_memory(share_of(MemoryRule::everything), 40.0, 5.0) == 90);
  CHECK(cache_room(share_of(MemoryRule::everything), 40.0, 5.0) == 43);  // 90 - 40 - 5 - 2
  CHECK(usable_memory(share_of(MemoryRule::weights_and_cache), 40.0, 5.0) == 97);
  CHECK(cache_room(share_of(MemoryRule::weights_and_cache), 40.0, 5.0) == 50);  // 90 - 40
  CHECK(usable_memory(share_of(MemoryRule::free), 40.0, 5.0) == Approx(94.7));
  CHECK(cache_room(share_of(MemoryRule::free), 40.0, 5.0) == Approx(0.9 * 53));  // of 100 - 40 - 5 - 2
}

TEST_CASE("no engine takes more than there is, and too large a model leaves less than nothing") {
  for (const MemoryRule rule : {MemoryRule::everything, MemoryRule::weights_and_cache, MemoryRule::free}) {
    CAPTURE(name_of(rule));
    CHECK(usable_memory(share_of(rule), 40.0, 30.0) <= 100);
    CHECK(cache_room(share_of(rule), 99.0, 30.0) < 0);
  }
}

TEST_CASE("the engine's facts decide where nobody says a share, and its rule where somebody does") {
  const auto share = [](std::string_view engine, std::optional<double> said) {
    return memory_share(*find_engine(library(), engine).facts, said, 80_GB, library());
  };
  CHECK(share("vllm", {}).utilization == 0.92);
  CHECK(share("vllm", {}).rule == MemoryRule::everything);
  CHECK(share("sglang", {}).utilization == 0.88);
  CHECK(share("sglang", 0.7).utilization == 0.7);
  CHECK(share("sglang", 0.7).rule == MemoryRule::weights_and_cache);
  CHECK(share("trtllm-1.0", {}).rule == MemoryRule::free);
  CHECK(share("atom", {}).utilization == 0.9);
}

}  // namespace chip_memory_test
