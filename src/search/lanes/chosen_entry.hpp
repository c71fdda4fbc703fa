#pragma once
// Which of the entry points of a *_lanes.cpp runs. Only for files of this folder: what was compiled is known to them
// alone.

#include "search/lanes/instruction_set.hpp"

namespace ridge {

#ifdef RIDGE_X86
inline constexpr bool kHasAvx2 = true;
#else
inline constexpr bool kHasAvx2 = false;
#endif
#ifdef RIDGE_AVX512
inline constexpr bool kHasAvx512 = true;
#else
inline constexpr bool kHasAvx512 = false;
#endif

/// The entry point of an instruction set, or the baseline's where it was not compiled. They are arguments of the
/// template so that one which was not compiled is never linked.
template <auto Baseline, auto Avx2, auto Avx512>
auto chosen_entry([[maybe_unused]] InstructionSet set) {
  if constexpr (kHasAvx512) {
    if (set == InstructionSet::avx512) return Avx512;
  }
  if constexpr (kHasAvx2) {
    if (set == InstructionSet::avx2) return Avx2;
  }
  return Baseline;
}

}  // namespace ridge
