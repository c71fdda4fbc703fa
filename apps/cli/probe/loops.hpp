#pragma once
// What ridge probe times on a CPU: loops over memory, over registers, over quantized blocks. Compiled optimized in every
// build, for several instruction sets; which of them runs is decided at run time.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::cli {

/// A block of 32 numbers of 8 bits with a 16-bit scale: Q8_0 of GGUF files.
struct EightBitBlock {
  std::uint16_t scale = 0x3c00;  // 1.0
  std::int8_t values[32] = {};
};
static_assert(sizeof(EightBitBlock) == 34);

struct ProbeLoops {
  std::string_view instructions;  // "AVX-512 VNNI"
  bool portable = false;          // nothing better was compiled for this processor
  /// Reads all of it; the result only keeps the compiler from leaving it out.
  std::uint64_t (*read)(const std::uint64_t* words, std::size_t count);
  /// So many rounds of multiply-adds in registers, each of `fp32_round` or `int8_round` FLOP.
  float (*fp32)(std::size_t rounds);
  double fp32_round;
  std::int64_t (*int8)(std::size_t rounds);
  double int8_round;
  /// Dot product of two rows of blocks, as llama.cpp does it: 64 FLOP a block.
  float (*dot)(const EightBitBlock* a, const EightBitBlock* b, std::size_t blocks);
};

/// The fastest that this processor runs.
ProbeLoops probe_loops();
/// All that it runs: they must agree.
std::vector<ProbeLoops> all_probe_loops();

}  // namespace ridge::cli
