#pragma once
// Random but physical decode cases: every input log-uniform over many decades, with the corners that matter (dense
// models, no routed experts, no context, a free chip) drawn often.

#include <rapidcheck.h>

#include <cmath>
#include <ostream>

#include "serve/decode.hpp"
#include "serve/readings.hpp"

namespace ridge {

inline std::ostream& operator<<(std::ostream& out, const DecodeCase<double>& c) {
  const auto precision = out.precision(17);
  visit_inputs(c, [&](const InputInfo& info, const auto& field) { out << info.key << '=' << field.value() << ' '; });
  out.precision(precision);
  return out;
}

}  // namespace ridge

namespace ridge::testing {

/// Call only inside a property. The whole range from the first case on, whatever rapidcheck's size.
inline double log_uniform(double low, double high) {
  constexpr int kSteps = 1 << 24;
  const int step = *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, kSteps + 1)));
  return low * std::pow(high / low, static_cast<double>(step) / kSteps);
}

inline bool one_in(int count) { return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count))) == 0; }

inline double zero_or(double low, double high) { return one_in(5) ? 0.0 : log_uniform(low, high); }

inline DecodeCase<double> random_case() {
  DecodeCase<double> c;
  c.chips = one_in(2) ? std::round(log_uniform(1, 1e4)) : log_uniform(1, 1e4);
  c.matmul_weights = FlopsPerSecond<double>(log_uniform(1e12, 1e17));
  c.matmul_experts = one_in(2) ? c.matmul_weights : FlopsPerSecond<double>(log_uniform(1e12, 1e17));
  c.matmul_attention = one_in(2) ? c.matmul_weights : FlopsPerSecond<double>(log_uniform(1e12, 1e17));
  c.hbm_bandwidth = BytesPerSecond<double>(log_uniform(1e10, 1e14));
  c.hbm_capacity = Bytes<double>(log_uniform(1e9, 1e13));
  c.price = DollarsPerSecond<double>(zero_or(1e-5, 1e-2));
  c.utilisation = one_in(2) ? 1.0 : log_uniform(0.01, 1);
  c.params_dense = Params<double>(log_uniform(1e6, 1e13));
  c.params_lookup = Params<double>(zero_or(1e5, 1e11));
  if (one_in(3)) {  // dense
    c.params_routed = Params<double>(0.0);
    c.experts = 1.0;
    c.experts_per_token = 1.0;
  } else {
    c.params_routed = Params<double>(zero_or(1e6, 1e14));
    c.experts = std::round(log_uniform(1, 1024));
    c.experts_per_token = std::fmin(std::round(log_uniform(1, 16)), c.experts.value());
  }
  c.width_weights = BytesPerParam<double>(log_uniform(0.25, 4));
  c.width_experts = one_in(2) ? c.width_weights : BytesPerParam<double>(log_uniform(0.25, 4));
  c.kv_stored = BytesPerToken<double>(zero_or(1, 1e7));
  c.kv_read = one_in(2) ? c.kv_stored : BytesPerToken<double>(zero_or(1, 1e7));
  c.attention_flops = FlopsPerToken<double>(zero_or(1, 1e9));
  c.batch = one_in(5) ? 1.0 : std::round(log_uniform(1, 1e6));
  c.context = Tokens<double>(one_in(5) ? 0.0 : std::round(log_uniform(1, 1e8)));
  return c;
}

/// The same, with sizes near those of real models and machines, where everything competes with everything.
inline DecodeCase<double> balanced_case() {
  DecodeCase<double> c = random_case();
  c.matmul_weights = FlopsPerSecond<double>(log_uniform(1e14, 1e16));
  c.matmul_experts = FlopsPerSecond<double>(c.matmul_weights.value() * log_uniform(0.5, 2));
  c.matmul_attention = FlopsPerSecond<double>(c.matmul_weights.value() * log_uniform(0.25, 1));
  c.hbm_bandwidth = BytesPerSecond<double>(c.matmul_weights.value() / log_uniform(100, 1000));
  c.hbm_capacity = Bytes<double>(c.hbm_bandwidth.value() * log_uniform(0.01, 0.05));
  c.params_dense = Params<double>(log_uniform(1e9, 5e11));
  if (c.params_routed.value() > 0) c.params_routed = Params<double>(c.params_dense.value() * log_uniform(0.3, 30));
  c.kv_stored = BytesPerToken<double>(log_uniform(1e4, 1e6));
  c.kv_read = c.kv_stored;
  c.attention_flops = FlopsPerToken<double>(c.kv_read.value() * log_uniform(1, 300));
  c.batch = std::round(log_uniform(1, 1e4));
  c.context = Tokens<double>(std::round(log_uniform(100, 1e5)));
  return c;
}

}  // namespace ridge::testing
