// Does a sweep give one row for each case, whatever the register's width?

#include "search/lanes/decode_columns.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

using namespace ridge;

namespace {

DecodeCase<double> deepseek_like() {
  DecodeCase<double> c;
  c.chips = 8.0;
  c.matmul_weights = c.matmul_experts = FlopsPerSecond<double>(5e15);
  c.matmul_attention = FlopsPerSecond<double>(2.5e15);
  c.hbm_bandwidth = BytesPerSecond<double>(8e12);
  c.hbm_capacity = Bytes<double>(192e9);
  c.price = DollarsPerSecond<double>(1e-3);
  c.utilization = 1.0;
  c.params_dense = Params<double>(16e9);
  c.params_routed = Params<double>(654e9);
  c.experts = 256.0;
  c.experts_per_token = 8.0;
  c.width_weights = c.width_experts = BytesPerParam<double>(1.0);
  c.kv_stored = c.kv_read = BytesPerToken<double>(35136);
  c.attention_flops = FlopsPerToken<double>(17e6);
  c.batch = 64.0;
  c.context = Tokens<double>(4096);
  return c;
}

std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::baseline};
  if (best_instruction_set() != InstructionSet::baseline) sets.push_back(InstructionSet::avx2);
  if (best_instruction_set() == InstructionSet::avx512) sets.push_back(InstructionSet::avx512);
  return sets;
}

}  // namespace

TEST_CASE("sweeps of one to seventeen cases fill their rows and nothing else") {
  const auto batch = static_cast<std::size_t>(find_input("batch"));
  for (const InstructionSet set : available_sets()) {
    CAPTURE(name_of(set));
    for (std::size_t count = 1; count <= 17; ++count) {
      CAPTURE(count);
      Axis axis{batch, {}};
      for (std::size_t i = 0; i < count; ++i) axis.values.push_back(static_cast<double>(1 + i * i));
      const Columns columns = sweep_decode(deepseek_like(), {axis}, set);
      for (std::size_t output = 0; output < kDecodeOutputs; ++output) REQUIRE(columns[output].size() == count);
      for (std::size_t row = 0; row < count; ++row) {
        const auto expected = output_values(estimate_decode(with_input(deepseek_like(), batch, axis.values[row])));
        for (std::size_t output = 0; output < kDecodeOutputs; ++output) CHECK(columns[output][row] == expected[output]);
      }
    }
  }
}

TEST_CASE("a sweep without axes is the case itself, and one of no cases is empty") {
  const Columns one = sweep_decode(deepseek_like(), {}, best_instruction_set());
  const auto expected = output_values(estimate_decode(deepseek_like()));
  for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
    REQUIRE(one[output].size() == 1);
    CHECK(one[output][0] == expected[output]);
  }
  const Columns none =
      sweep_decode(deepseek_like(), {Axis{static_cast<std::size_t>(find_input("batch")), {}}}, best_instruction_set());
  for (const auto& column : none) CHECK(column.empty());
}

TEST_CASE("axes move together") {
  const auto batch = static_cast<std::size_t>(find_input("batch")),
             context = static_cast<std::size_t>(find_input("context"));
  const Columns columns =
      sweep_decode(deepseek_like(), {{batch, {1, 10, 100}}, {context, {3000, 200, 10}}}, best_instruction_set());
  for (std::size_t row = 0; row < 3; ++row) {
    const double b = std::pow(10, static_cast<double>(row));
    const double s = row == 0 ? 3000 : row == 1 ? 200 : 10;
    const auto expected = output_values(estimate_decode(with_input(with_input(deepseek_like(), batch, b), context, s)));
    for (std::size_t output = 0; output < kDecodeOutputs; ++output) CHECK(columns[output][row] == expected[output]);
  }
}
