#pragma once
// Random but physical decode cases: every input log-uniform over many decades, with the corners that matter (dense
// models, no routed experts, no context, a free chip) drawn often.

#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>

#include <rapidcheck.h>

#include "roofline/decode.hpp"
#include "roofline/readings.hpp"

namespace ridge {

inline std::ostream& operator<<(std::ostream& out, const DecodeCase<double>& c) {
  const auto precision = out.precision(17);
  visit_inputs(c, [&](const InputInfo& info, const auto& field) { out << info.key << '=' << field.value() << ' '; });
  out.precision(precision);
  return out;
}

}  // namespace ridge

namespace ridge::testing {

/// Random numbers from one seed that rapidcheck draws, prints and replays.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * std::uniform_real_distribution<double>()(random_);
  }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform(0, 1)); }
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  double zero_or(double low, double high) { return one_in(5) ? 0.0 : log_uniform(low, high); }

 private:
  std::mt19937_64 random_;
};

/// Call only inside a property.
inline Draw seeded_draw() {
  return Draw(*rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>())).as("seed"));
}

inline DecodeCase<double> random_case(Draw& draw) {
  DecodeCase<double> c;
  c.chips = draw.one_in(2) ? std::round(draw.log_uniform(1, 1e4)) : draw.log_uniform(1, 1e4);
  c.matmul_weights = FlopsPerSecond<double>(draw.log_uniform(1e12, 1e17));
  c.matmul_experts = draw.one_in(2) ? c.matmul_weights : FlopsPerSecond<double>(draw.log_uniform(1e12, 1e17));
  c.matmul_attention = draw.one_in(2) ? c.matmul_weights : FlopsPerSecond<double>(draw.log_uniform(1e12, 1e17));
  c.hbm_bandwidth = BytesPerSecond<double>(draw.log_uniform(1e10, 1e14));
  c.hbm_capacity = Bytes<double>(draw.log_uniform(1e9, 1e13));
  c.price = DollarsPerSecond<double>(draw.zero_or(1e-5, 1e-2));
  c.utilization = draw.one_in(2) ? 1.0 : draw.log_uniform(0.01, 1);
  c.params_dense = Params<double>(draw.log_uniform(1e6, 1e13));
  c.params_lookup = Params<double>(draw.zero_or(1e5, 1e11));
  if (draw.one_in(3)) {  // dense
    c.params_routed = Params<double>(0.0);
    c.experts = 1.0;
    c.experts_per_token = 1.0;
  } else {
    c.params_routed = Params<double>(draw.zero_or(1e6, 1e14));
    c.experts = std::round(draw.log_uniform(1, 1024));
    c.experts_per_token = std::fmin(std::round(draw.log_uniform(1, 16)), c.experts.value());
  }
  c.width_weights = BytesPerParam<double>(draw.log_uniform(0.25, 4));
  c.width_experts = draw.one_in(2) ? c.width_weights : BytesPerParam<double>(draw.log_uniform(0.25, 4));
  c.width_lookup = draw.one_in(2) ? c.width_weights : BytesPerParam<double>(draw.log_uniform(0.25, 4));
  c.kv_stored = BytesPerToken<double>(draw.zero_or(1, 1e7));
  c.kv_read = draw.one_in(2) ? c.kv_stored : BytesPerToken<double>(draw.zero_or(1, 1e7));
  c.attention_flops = FlopsPerToken<double>(draw.zero_or(1, 1e9));
  c.batch = draw.one_in(5) ? 1.0 : std::round(draw.log_uniform(1, 1e6));
  c.context = Tokens<double>(draw.one_in(5) ? 0.0 : std::round(draw.log_uniform(1, 1e8)));
  return c;
}

/// Windows, selections and states as hybrid and sparse models have them; a square root only where asked for, since a
/// sweep computes it for all of its cases or for none.
inline DecodeCase<double> with_limits(DecodeCase<double> c, Draw& draw, bool root) {
  const double token = std::fmax(1.0, c.kv_read.value());
  if (draw.one_in(2)) {
    c.window = Tokens<double>(std::round(draw.log_uniform(1, 1e5)));
    c.window_stored = BytesPerToken<double>(token * draw.log_uniform(0.1, 10));
    c.window_read = draw.one_in(2) ? c.window_stored : BytesPerToken<double>(token * draw.log_uniform(0.1, 10));
    c.window_flops = FlopsPerToken<double>(token * draw.log_uniform(1, 300));
  }
  if (draw.one_in(2)) {
    c.selected = Tokens<double>(std::round(draw.log_uniform(16, 1e4)));
    c.selected_read = BytesPerToken<double>(token * draw.log_uniform(0.1, 10));
    c.selected_flops = FlopsPerToken<double>(token * draw.log_uniform(1, 300));
  }
  if (root) {
    c.root_read = BytesPerToken<double>(token * draw.log_uniform(0.1, 100));
    c.root_flops = FlopsPerToken<double>(token * draw.log_uniform(1, 300));
  }
  if (draw.one_in(2)) {
    c.state_stored = Bytes<double>(token * draw.log_uniform(1, 1e4));
    c.state_read = 2.0 * c.state_stored;
    c.state_flops = Flops<double>(c.state_stored.value() * draw.log_uniform(1, 10));
  }
  c.has = parts_of(input_values(c));
  return c;
}

/// The same, with sizes near those of real models and machines, where everything competes with everything.
inline DecodeCase<double> balanced_case(Draw& draw) {
  DecodeCase<double> c = random_case(draw);
  c.matmul_weights = FlopsPerSecond<double>(draw.log_uniform(1e14, 1e16));
  c.matmul_experts = FlopsPerSecond<double>(c.matmul_weights.value() * draw.log_uniform(0.5, 2));
  c.matmul_attention = FlopsPerSecond<double>(c.matmul_weights.value() * draw.log_uniform(0.25, 1));
  c.hbm_bandwidth = BytesPerSecond<double>(c.matmul_weights.value() / draw.log_uniform(100, 1000));
  c.hbm_capacity = Bytes<double>(c.hbm_bandwidth.value() * draw.log_uniform(0.01, 0.05));
  c.params_dense = Params<double>(draw.log_uniform(1e9, 5e11));
  if (c.params_routed.value() > 0) c.params_routed = Params<double>(c.params_dense.value() * draw.log_uniform(0.3, 30));
  c.kv_stored = BytesPerToken<double>(draw.log_uniform(1e4, 1e6));
  c.kv_read = c.kv_stored;
  c.attention_flops = FlopsPerToken<double>(c.kv_read.value() * draw.log_uniform(1, 300));
  c.batch = std::round(draw.log_uniform(1, 1e4));
  c.context = Tokens<double>(std::round(draw.log_uniform(100, 1e5)));
  return c;
}

}  // namespace ridge::testing
