// Is one equation one equation? SIMD lanes, traced and dual numbers must give the double's result to the last bit, or
// the sweep, the derivation and the elasticities would speak of other numbers than the answer.

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "base/number/dual.hpp"
#include "report/derive/derivation.hpp"
#include "roofline/decode.hpp"
#include "roofline/random_case.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"
#include "search/lanes/decode_columns.hpp"

using namespace ridge;

namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// The instruction sets this processor has; each wider one brings the narrower ones.
std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::baseline};
  if (best_instruction_set() != InstructionSet::baseline) sets.push_back(InstructionSet::avx2);
  if (best_instruction_set() == InstructionSet::avx512) sets.push_back(InstructionSet::avx512);
  return sets;
}

/// All inputs as axes, one position a case: every lane of a register computes something else.
std::vector<Axis> axes_of(const std::vector<DecodeCase<double>>& cases) {
  std::vector<Axis> axes(kDecodeInputs);
  for (std::size_t i = 0; i < kDecodeInputs; ++i) axes[i].input = i;
  for (const auto& c : cases) {
    const auto values = input_values(c);
    for (std::size_t i = 0; i < kDecodeInputs; ++i) axes[i].values.push_back(values[i]);
  }
  return axes;
}

}  // namespace

TEST_CASE("no figure of a physical case is undefined") {
  CHECK(rc::check("no output is NaN, and none but a crossing is infinite", [] {
    auto draw = testing::seeded_draw();
    auto c = testing::random_case(draw);
    if (draw.one_in(2)) c = testing::with_limits(c, draw, draw.one_in(3));
    RC_LOG() << c;
    const auto values = output_values(estimate_decode(c));
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      const auto key = output_info(i).key;
      RC_LOG() << key << " " << values[i] << "\n";
      RC_ASSERT(!std::isnan(values[i]));
      const bool may_not_exist = key == "ridge" || key == "balance_context" || key == "balance_context_full" ||
                                 key == "batch_limit" || key == "context_limit";
      RC_ASSERT((may_not_exist || std::isfinite(values[i])));
    }
  }));
}

TEST_CASE("lanes of every instruction set equal the double to the last bit") {
  for (const InstructionSet set : available_sets()) {
    CAPTURE(name_of(set));
    CHECK(rc::check("a sweep equals the cases one by one", [set] {
      auto draw = testing::seeded_draw();
      std::vector<DecodeCase<double>> cases;
      for (int i = 0; i < 19; ++i)
        cases.push_back(i % 2 == 0 ? testing::random_case(draw) : testing::balanced_case(draw));
      if (draw.one_in(2)) cases.back() = testing::with_limits(cases.back(), draw, false);
      const Columns columns = sweep_decode(cases.front(), axes_of(cases), set);
      for (std::size_t row = 0; row < cases.size(); ++row) {
        const auto expected = output_values(estimate_decode(cases[row]));
        for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
          if (same_bits(columns[i][row], expected[i])) continue;
          RC_LOG() << output_info(i).key << ": lanes " << columns[i][row] << ", double " << expected[i] << " at "
                   << cases[row];
          RC_FAIL("last bits differ");
        }
      }
    }));
  }
}

TEST_CASE("traced numbers equal the double to the last bit") {
  CHECK(rc::check("the derivation's values are the answer's", [] {
    auto draw = testing::seeded_draw();
    auto c = testing::random_case(draw);
    if (draw.one_in(2)) c = testing::with_limits(c, draw, draw.one_in(3));
    const auto expected = output_values(estimate_decode(c));
    const auto traced = output_values(estimate_decode(report::traced_case(c)));
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      RC_LOG() << output_info(i).key << " ";
      RC_ASSERT(same_bits(traced[i].value(), expected[i]));
    }
  }));
}

TEST_CASE("dual numbers equal the double to the last bit, whichever input is seeded") {
  CHECK(rc::check("the elasticities are of the answer", [] {
    auto draw = testing::seeded_draw();
    auto c = testing::random_case(draw);
    if (draw.one_in(2)) c = testing::with_limits(c, draw, draw.one_in(3));
    const auto expected = output_values(estimate_decode(c));
    for (std::size_t seeded = 0; seeded < kDecodeInputs; ++seeded) {
      const auto dual = read_as<Dual>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
        return Dual(value, index == seeded ? 1.0 : 0.0);
      });
      const auto values = output_values(estimate_decode(dual));
      for (std::size_t i = 0; i < kDecodeOutputs; ++i) RC_ASSERT(same_bits(values[i].value, expected[i]));
    }
  }));
}
