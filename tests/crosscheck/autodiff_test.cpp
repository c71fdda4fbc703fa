// Do two independent differentiators agree? Boost.Math's autodiff on the formulas written once more by hand, against our
// dual numbers on the engine's own equations.

#include <array>
#include <cmath>
#include <random>

#include <boost/math/differentiation/autodiff.hpp>
#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

using namespace ridge;
namespace autodiff = boost::math::differentiation;

namespace {

using Variable = autodiff::autodiff_fvar<double, 1>;
using Inputs = std::array<Variable, kDecodeInputs>;

/// The inputs by their key, so that the formulas below read like the sheet.
const Variable& at(const Inputs& x, std::string_view key) { return x[static_cast<std::size_t>(find_input(key))]; }

Variable larger(const Variable& a, const Variable& b) { return a > b ? a : b; }

/// Compute of one sequence in chip-seconds.
Variable sequence_compute(const Inputs& x) {
  const Variable active = at(x, "k") / at(x, "E");
  return 2 * at(x, "N_dense") / at(x, "C_w") + 2 * at(x, "N_routed") * active / at(x, "C_e") +
         at(x, "a") * at(x, "S") / at(x, "C_a");
}

Variable step_time(const Inputs& x) {
  const Variable missed = pow(Variable(1 - at(x, "k") / at(x, "E")), at(x, "B"));
  const Variable bytes = at(x, "b_w") * at(x, "N_dense") + at(x, "b_e") * at(x, "N_routed") * (1 - missed) +
                         at(x, "B") * at(x, "r") * at(x, "S");
  const Variable memory = bytes / (at(x, "n") * at(x, "W"));
  const Variable compute = at(x, "B") * sequence_compute(x) / at(x, "n");
  return larger(compute, memory);
}

Variable cost(const Inputs& x) { return at(x, "n") * at(x, "p") * step_time(x) / (at(x, "u") * at(x, "B")); }

/// B* = weight bytes / W over compute minus reading, as the formula sheet writes it.
Variable ridge_batch(const Inputs& x) {
  const Variable weights = (at(x, "b_w") * at(x, "N_dense") + at(x, "b_e") * at(x, "N_routed")) / at(x, "W");
  return weights / (sequence_compute(x) - at(x, "r") * at(x, "S") / at(x, "W"));
}

DecodeCase<double> case_near_real(std::mt19937_64& random) {
  const auto spread = [&](double from, double to) {
    return from * std::pow(to / from, std::uniform_real_distribution<double>()(random));
  };
  DecodeCase<double> c;
  c.chips = spread(1, 100);
  c.matmul_weights = FlopsPerSecond<double>(spread(1e14, 1e16));
  c.matmul_experts = FlopsPerSecond<double>(spread(1e14, 1e16));
  c.matmul_attention = FlopsPerSecond<double>(spread(1e14, 1e16));
  c.hbm_bandwidth = BytesPerSecond<double>(spread(1e12, 2e13));
  c.hbm_capacity = Bytes<double>(spread(1e10, 1e12));
  c.price = DollarsPerSecond<double>(spread(1e-4, 1e-2));
  c.utilization = spread(0.2, 1);
  c.params_dense = Params<double>(spread(1e9, 1e11));
  c.params_routed = Params<double>(spread(1e9, 1e12));
  c.params_lookup = Params<double>(spread(1e8, 1e9));
  c.experts = spread(20, 400);
  c.experts_per_token = spread(1, 10);
  c.width_weights = BytesPerParam<double>(spread(0.5, 2));
  c.width_experts = BytesPerParam<double>(spread(0.5, 2));
  c.kv_stored = c.kv_read = BytesPerToken<double>(spread(1e4, 1e6));
  c.attention_flops = FlopsPerToken<double>(spread(1e5, 1e8));
  c.batch = spread(1, 5000);
  c.context = Tokens<double>(spread(100, 1e5));
  return c;
}

struct Slopes {
  double value, along_log;  // d f / d ln(input)
};

template <class Formula>
Slopes by_boost(const DecodeCase<double>& c, std::size_t input, Formula&& formula) {
  const auto values = input_values(c);
  Inputs x;
  for (std::size_t i = 0; i < kDecodeInputs; ++i)
    x[i] = i == input ? autodiff::make_fvar<double, 1>(values[i]) : Variable(values[i]);
  const Variable result = formula(x);
  return {result.derivative(0), result.derivative(1) * values[input]};
}

DecodeEstimate<Dual> by_duals(const DecodeCase<double>& c, std::size_t input) {
  return estimate_decode(read_as<Dual>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
    return Dual(value, index == input ? value : 0.0);
  }));
}

// Both are exact up to rounding: some ten operations of 1e-16, and where two numbers nearly cancel (the ridge's divisor)
// more by the size of the elasticity. 1e-10 of value and slope leaves room for cancellation to one part in 10^5.
void check_same(const Dual& ours, const Slopes& boost) {
  CHECK(std::fabs(ours.value - boost.value) <= 1e-10 * std::fabs(boost.value));
  CHECK(std::fabs(ours.slope - boost.along_log) <= 1e-10 * (std::fabs(boost.along_log) + std::fabs(boost.value)));
}

}  // namespace

TEST_CASE("Boost's autodiff of hand-written formulas agrees with our duals to one part in ten thousand million") {
  std::mt19937_64 random(21);
  INFO("seed 21");
  int ridges = 0;
  for (int i = 0; i < 300; ++i) {
    const auto c = case_near_real(random);
    for (std::size_t input = 0; input < kDecodeInputs; ++input) {
      CAPTURE(input_info(input).key);
      const auto ours = by_duals(c, input);
      check_same(ours.step_time.value(), by_boost(c, input, step_time));
      check_same(ours.cost.value(), by_boost(c, input, cost));
      const Slopes boost_ridge = by_boost(c, input, ridge_batch);
      if (boost_ridge.value > 0 && boost_ridge.value < 1e5) {
        check_same(ours.ridge.value(), boost_ridge);
        ++ridges;
      } else if (boost_ridge.value < 0) {
        CHECK(std::isinf(ours.ridge.value().value));
      }
    }
  }
  CHECK(ridges > 1000);  // the comparison was not skipped
}
