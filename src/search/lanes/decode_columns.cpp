#include "search/lanes/decode_columns.hpp"

#include <cassert>

#include "roofline/readings.hpp"
#include "search/lanes/chosen_entry.hpp"
#include "search/lanes/decode_lanes.hpp"

namespace ridge {

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
  const auto run =
      chosen_entry<&ridge_decode_lanes_baseline, &ridge_decode_lanes_avx2, &ridge_decode_lanes_avx512>(set);
  run(inputs.data(), moving.data(), count, out.data());
}

Columns sweep_decode(const DecodeCase<double>& c, const std::vector<Axis>& axes, InstructionSet set) {
  Columns columns;
  for (auto& values : columns) values.resize(axes.empty() ? 1 : axes.front().values.size());
  sweep_into(columns, c, axes, set);
  return columns;
}

}  // namespace ridge
