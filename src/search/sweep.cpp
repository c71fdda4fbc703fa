#include "search/sweep.hpp"

#include <cassert>

#include "search/decode_lanes.hpp"
#include "serve/readings.hpp"

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

void sweep_into(Columns& columns, const DecodeCase<double>& c, const std::vector<Axis>& axes, InstructionSet set) {
  const std::size_t count = axes.empty() ? 1 : axes.front().values.size();
  std::array<const double*, kDecodeInputs> moving{};
  for (const Axis& axis : axes) {
    assert(axis.values.size() == count && "axes of one sweep move together");
    moving[axis.input] = axis.values.data();
  }
  std::array<double*, kDecodeOutputs> out{};
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    assert((columns[i].empty() || columns[i].size() == count) && "a column has a row for every case");
    out[i] = columns[i].empty() ? nullptr : columns[i].data();
  }
  const auto inputs = input_values(c);
  auto* run = &ridge_decode_lanes_baseline;
#ifdef RIDGE_AVX512
  if (set == InstructionSet::avx512) run = &ridge_decode_lanes_avx512;
#endif
#ifdef RIDGE_X86
  if (set == InstructionSet::avx2) run = &ridge_decode_lanes_avx2;
#else
  (void)set;
#endif
  run(inputs.data(), moving.data(), count, out.data());
}

Columns sweep_decode(const DecodeCase<double>& c, const std::vector<Axis>& axes, InstructionSet set) {
  Columns columns;
  for (auto& values : columns) values.resize(axes.empty() ? 1 : axes.front().values.size());
  sweep_into(columns, c, axes, set);
  return columns;
}

}  // namespace ridge
