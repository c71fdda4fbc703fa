#pragma once
// The instruction sets that what runs over SIMD lanes is compiled for.

#include <string_view>

namespace ridge {

enum class InstructionSet { baseline, avx2, avx512 };
/// The widest that was compiled and that this processor has.
InstructionSet best_instruction_set();
std::string_view name_of(InstructionSet set);

}  // namespace ridge
