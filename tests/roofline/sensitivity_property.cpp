// Are the slopes right? Forward differentiation against a central difference, input by input and figure by figure.

#include <algorithm>
#include <cmath>
#include <string_view>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "base/number/dual.hpp"
#include "roofline/random_case.hpp"
#include "roofline/readings.hpp"
#include "roofline/sensitivity.hpp"

using namespace ridge;

namespace {

// Moving an input by a relative h, a central difference misses h^2/6 of the third derivative and gains rounding noise of
// 2^-53 / h. With h = 1e-4 that is 2e-9 of a third derivative (in units of the figure) and 1e-12 of noise. A tolerance
// of 1e-6 allows third derivatives of up to 600 times the figure, which e^-y y^3 and 1/x stay far below.
constexpr double kMove = 1e-4;
constexpr double kTolerance = 1e-6;
// Where two branches of a max are closer than this the difference would straddle the kink (each moves by at most 2 kMove).
constexpr double kTie = 1e-3;
// Where a divisor is what is left of a cancellation the curvature grows without limit; the slope there is checked
// against Boost's differentiation instead (tests/crosscheck/autodiff_test.cpp).
constexpr double kCancelled = 0.05;

bool tie(double a, double b) { return std::fabs(a - b) <= kTie * std::max(std::fabs(a), std::fabs(b)); }

bool is_smooth(const DecodeCase<double>& c) {
  const auto e = estimate_decode(c);
  const double compute = e.compute_time.value(), context = e.context_time.value();
  const double alone = (e.floor_one.value() * c.batch.value() + context);  // batch of one, scaled to this batch
  return !tie(compute, e.memory_time.value()) && !tie(compute, e.weights_time.value()) &&
         !tie(compute, e.floor_one.value() + context) && !tie(compute, context) && !tie(compute, alone);
}

/// How much larger than the figure itself the parts are that it is a difference of.
double canceled_size(std::string_view key, const DecodeCase<double>& c, const DecodeEstimate<double>& e) {
  if (key == "slow_saving" || key == "experts_touched") return 1.0;
  if (key == "batch_limit") return ((e.memory_there + e.weights_stored) / (c.context * c.kv_stored)).value();
  return 0.0;
}

bool is_curved(std::string_view key, const DecodeCase<double>& c, const DecodeEstimate<double>& e) {
  const double compute = e.compute_time.value(), context = e.context_time.value();
  const double attention_bytes = (c.attention_flops * c.hbm_bandwidth / c.matmul_attention).value();
  if (key == "ridge") return std::fabs(compute - context) < kCancelled * compute;
  if (key == "balance_context_full")
    return std::fabs(c.kv_read.value() - attention_bytes) < kCancelled * c.kv_read.value();
  return false;
}

/// A crossing is 1/(1 - z): with an elasticity of q its third derivative is about 6 q^3 of its value, and the central
/// difference misses kMove^2 / 6 of that. Ten times as much is allowed.
double crossing_curvature(std::string_view key, const Dual& at) {
  if (key != "ridge" && key != "balance_context_full") return 0.0;
  const double elasticity = at.slope / at.value;
  return 10 * kMove * kMove * elasticity * elasticity * std::fabs(at.slope);
}

void check_slopes(const DecodeCase<double>& c, std::size_t input) {
  const double x = input_values(c)[input];
  const auto e = estimate_decode(c);
  const auto at =
      output_values(estimate_decode(read_as<Dual>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
        return Dual(value, index == input ? value : 0.0);  // the slope along ln(input)
      })));
  const auto above = output_values(estimate_decode(with_input(c, input, x * (1 + kMove))));
  const auto below = output_values(estimate_decode(with_input(c, input, x * (1 - kMove))));
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    const auto key = output_info(i).key;
    if (!std::isfinite(at[i].value) || is_curved(key, c, e)) continue;
    const double difference = (above[i] - below[i]) / (2 * kMove);
    const double size = std::fabs(at[i].value) + std::fabs(at[i].slope) + canceled_size(key, c, e);
    const double tolerance = kTolerance * size + crossing_curvature(key, at[i]);
    if (!at[i].kink && std::fabs(difference - at[i].slope) <= tolerance) continue;
    RC_LOG() << c << "\n"
             << key << " along " << input_info(input).key << ": slope " << at[i].slope << ", difference " << difference
             << ", value " << at[i].value << (at[i].kink ? ", marked as a kink" : "") << "\n";
    RC_FAIL("slope and difference disagree");
  }
}

}  // namespace

TEST_CASE("the slope of every figure along every input is its central difference") {
  CHECK(rc::check("forward differentiation agrees with a central difference", [] {
    auto draw = testing::seeded_draw();
    const auto c = draw.one_in(2) ? testing::random_case(draw) : testing::balanced_case(draw);
    RC_PRE(is_smooth(c));
    const auto values = input_values(c);
    const bool all_experts = c.experts_per_token.value() > 0.99 * c.experts.value();
    for (std::size_t input = 0; input < kDecodeInputs; ++input) {
      if (values[input] == 0.0) continue;  // nothing to move by a share of
      // where a token uses every expert, moving one count past the other leaves what the equations mean
      const auto key = input_info(input).key;
      if (all_experts && (key == "experts.count" || key == "experts.per_token")) continue;
      check_slopes(c, input);
    }
  }));
}

TEST_CASE("a tie of compute and memory is marked as a kink") {
  DecodeCase<double> c;
  c.chips = 1.0;
  c.matmul_weights = c.matmul_experts = c.matmul_attention = FlopsPerSecond<double>(1024);
  c.hbm_bandwidth = BytesPerSecond<double>(1.0);
  c.hbm_capacity = Bytes<double>(1e6);
  c.utilization = 1.0;
  c.params_dense = Params<double>(1024);
  c.experts = c.experts_per_token = 1.0;
  c.width_weights = c.width_experts = BytesPerParam<double>(1.0);
  c.batch = 512.0;  // 2 * 1024 * 512 / 1024 = 1024 s of compute; 1024 B / (1 B/s) = 1024 s of memory
  const auto batch = static_cast<std::size_t>(find_input("batch"));
  const auto dual = estimate_decode(read_as<Dual>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
    return Dual(value, index == batch ? 1.0 : 0.0);
  }));
  REQUIRE(dual.compute_time.value().value == dual.memory_time.value().value);
  CHECK(dual.step_time.value().kink);
  CHECK(dual.step_time.value().slope == 2.0);  // towards larger batches compute binds: 2 * 1024 / 1024 s a sequence
}
