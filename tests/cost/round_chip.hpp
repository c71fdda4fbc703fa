#pragma once
// A chip with round numbers, for times that are worked by hand.

#include "cost/operation.hpp"

namespace ridge {

/// 100, 200 and 400 TFLOP/s, 1 TB/s of memory, 100 GB/s to its neighbors, 10 GB/s beyond.
inline ChipRates<double> round_chip() {
  constexpr double micro = 1e-6;
  ChipRates<double> r;
  r.peak.matrix = {FlopsPerSecond<double>(100e12), FlopsPerSecond<double>(200e12), FlopsPerSecond<double>(400e12)};
  r.peak.memory = BytesPerSecond<double>(1e12);
  r.peak.scale_up = BytesPerSecond<double>(100e9);
  r.peak.scale_out = BytesPerSecond<double>(10e9);
  r.chip.matrix_16bit = 0.8;
  r.chip.matrix_8bit = 0.7;
  r.chip.matrix_4bit = 0.5;
  r.chip.memory = 0.8;
  r.chip.attention_memory = 0.5;
  r.chip.attention_matrix = 0.4;
  r.chip.softmax_rate = PerSecond<double>(1e12);
  r.chip.link = 0.5;
  r.chip.product_time = Seconds<double>(2 * micro);
  r.chip.attention_time = Seconds<double>(3 * micro);
  r.chip.block_time = Seconds<double>(0.01 * micro);
  r.chip.prefill_time = Seconds<double>(5 * micro);
  r.chip.experts_time = Seconds<double>(20 * micro);
  r.chip.small_time = Seconds<double>(1 * micro);
  r.chip.reduce_time = Seconds<double>(4 * micro);
  r.kernel.depth_16bit = Seconds<double>(0.1 * micro);
  r.kernel.depth_8bit = Seconds<double>(0.2 * micro);
  r.kernel.depth_4bit = Seconds<double>(1 * micro);
  r.kernel.quantize_passes = 1.5;
  r.kernel.decode_rows = 8.0;
  r.kernel.join_share = 0.5;
  r.kernel.join_context = Tokens<double>(1000.0);
  r.kernel.block_root = 0.5;
  r.kernel.prefill_block_time = Seconds<double>(0.005 * micro);
  r.kernel.prefill_rows = 16.0;
  r.kernel.state_rows = 12.0;
  r.kernel.prefill_passes = 2.0;
  r.kernel.expert_matrix = 0.5;
  r.kernel.expert_blocks = 0.8;
  r.kernel.expert_skew = 1.0;
  r.kernel.balanced_skew = 0.25;
  r.kernel.expert_memory = 0.9;
  r.kernel.expert_rows = 32.0;
  r.kernel.unpack_rows = 8.0;
  r.kernel.unpack_matrix = 0.25;
  r.kernel.expert_passes = 2.0;
  r.kernel.expert_token_time = Seconds<double>(0.01 * micro);
  r.kernel.reduce_per_chip = Seconds<double>(0.5 * micro);
  r.kernel.reduce_phase = 0.75;
  r.kernel.reduce_across_time = Seconds<double>(15 * micro);
  r.kernel.all_to_all_time = Seconds<double>(15 * micro);
  r.kernel.small_share = 0.5;
  return r;
}

/// Calls visit(quantity) for every number of a chip's rates.
template <class Rates, class Visit>
void visit_rates(Rates& rates, Visit&& visit) {
  for (auto& peak : rates.peak.matrix) visit(peak);
  visit(rates.peak.memory);
  visit(rates.peak.scale_up);
  visit(rates.peak.scale_out);
  const auto named_field = [&](std::string_view, auto& field) { visit(field); };
  std::remove_cvref_t<decltype(rates.chip)>::visit_fields(rates.chip, named_field);
  std::remove_cvref_t<decltype(rates.kernel)>::visit_fields(rates.kernel, named_field);
}

}  // namespace ridge
