// Do the loops of ridge probe do what they are timed for, with every instruction set that runs here?

#include "cli/probe/loops.hpp"

#include <cstddef>

#include <doctest/doctest.h>

namespace loops_test {

using namespace ridge::cli;
using doctest::Approx;

TEST_CASE("a dot product of blocks is the sum of its products times both scales") {
  for (const ProbeLoops& loops : all_probe_loops()) {
    CAPTURE(loops.instructions);
    EightBitBlock a[3], b[3];
    // block 0: 32 products of 2 x -3 at scales 1 and 1: -192
    for (int i = 0; i < 32; ++i) {
      a[0].values[i] = 2;
      b[0].values[i] = -3;
    }
    // block 1: one product of -127 x -127 = 16,129 at scales 0.5 (0x3800) and 2 (0x4000): 16,129
    a[1].values[31] = b[1].values[31] = -127;
    a[1].scale = 0x3800;
    b[1].scale = 0x4000;
    // block 2: 10 x 10 at scale 0: nothing
    a[2].values[0] = b[2].values[0] = 10;
    a[2].scale = 0;
    CHECK(loops.dot(a, b, 3) == Approx(16129 - 192));
    CHECK(loops.dot(a, b, 1) == Approx(-192));
  }
}

TEST_CASE("every word is read, also those after the last whole register") {
  // 1 + 2 + ... + 77 = 77 x 78 / 2 = 3,003
  std::vector<std::uint64_t> words(77);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i + 1;
  for (const ProbeLoops& loops : all_probe_loops()) CHECK(loops.read(words.data(), words.size()) == 3003);
}

TEST_CASE("multiply-adds go where they must: x = 0.999 x + 0.5 ends at 500") {
  for (const ProbeLoops& loops : all_probe_loops()) {
    CAPTURE(loops.instructions);
    // as many numbers as half the FLOP of a round, each 0.5 / (1 - 0.999) = 500 in the end
    CHECK(loops.fp32(100000) == Approx(loops.fp32_round / 2 * 500).epsilon(1e-3));
    CHECK(loops.int8(1000) != 0);
  }
}

}  // namespace loops_test
