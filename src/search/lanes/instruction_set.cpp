#include "search/lanes/instruction_set.hpp"

namespace ridge {

InstructionSet best_instruction_set() {
#ifdef RIDGE_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return InstructionSet::avx512;
  }
#endif
#ifdef RIDGE_X86
  if (__builtin_cpu_supports("avx2")) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::baseline:
      break;
  }
  return "baseline";
}

}  // namespace ridge
