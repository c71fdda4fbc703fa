// Claims about the step itself: the larger of two times, where they meet, and what no step goes below.

#include <algorithm>
#include <cmath>

#include "claims/computations.hpp"

namespace ridge {

namespace {

/// How far a step is from the larger of its two times, and how much longer it would be if they did not overlap.
struct StepCheck {
  Ratio<double> distance = 1.0, no_overlap = 1.0;
};

StepCheck check_steps(const DecodeCase<double>& c, const Tokens<double>& longest) {
  constexpr int kHalvings = 16;  // loads from one sequence to 65,536, contexts down from the longest
  StepCheck worst;
  for (int i = 0; i <= kHalvings; ++i) {
    for (int j = 0; j <= kHalvings; ++j) {
      const auto e = estimate_decode(with_load(c, std::exp2(i), longest * std::exp2(-j)));
      const Seconds<double> larger = max(e.compute_time, e.memory_time);
      worst.distance = max(worst.distance, max(e.step_time / larger, larger / e.step_time));
      worst.no_overlap = max(worst.no_overlap, e.step_no_overlap / e.step_time);
    }
  }
  return worst;
}

}  // namespace

std::vector<Figure> c01(Inputs& in) {
  const DecodeCase<double> c = in.decode({kModel, kBlackwell});
  const Tokens<double> longest(in.model(kModel).context_limit);
  const StepCheck worst = check_steps(c, longest);
  const auto at_ridge = estimate_decode(with_load(c, estimate_decode(c).ridge_weights, {}));
  return {
      figure("deviation", "largest relative distance of a step from the larger of its compute and memory time",
             worst.distance - Ratio<double>(1.0)),
      figure("at_ridge", "compute over memory time at the ridge batch", at_ridge.compute_time / at_ridge.memory_time),
      figure("no_overlap", "longest a step gets without any overlap, over the larger of the two", worst.no_overlap)};
}

std::vector<Figure> c02(Inputs& in) {
  const DecodeCase<double> fp8 = in.decode({.model = kDense, .machine = kHopper, .weights = "fp8"});
  return {figure("h100", "H100, bf16", chip_ratio(in, kHopper, "bf16")),
          figure("b200", "B200, bf16", chip_ratio(in, "hgx-b200", "bf16")),
          figure("gb200_fp4", "GB200, fp4", chip_ratio(in, kBlackwell, "fp4")),
          figure("h200", "H200, bf16", chip_ratio(in, "hgx-h200", "bf16")),
          figure("a100", "A100 80 GB, bf16", chip_ratio(in, "hgx-a100", "bf16")),
          figure("h100_flop_per_byte", "H100 fp8 peak over bandwidth, where a multiply-add is two",
                 fp8.matmul_weights / fp8.hbm_bandwidth)};
}

std::vector<Figure> c03(Inputs& in) {
  const Ratio<double> a100 = chip_ratio(in, "hgx-a100", "bf16"), h100 = chip_ratio(in, kHopper, "bf16"),
                      h200 = chip_ratio(in, "hgx-h200", "bf16"), b200 = chip_ratio(in, "hgx-b200", "bf16"),
                      v5p = chip_ratio(in, "tpu-v5p-pod", "bf16"), v6e = chip_ratio(in, "tpu-v6e-pod", "bf16");
  const auto [low, high] = std::minmax({a100, h100, h200, b200, v5p, v6e});
  const auto [nvidia_low, nvidia_high] = std::minmax({a100, h100, b200});
  return {figure("h100_over_a100", "H100 over A100", h100 / a100),
          figure("b200_over_h100", "B200 over H100", b200 / h100),
          figure("nvidia_spread", "largest over smallest of A100, H100 and B200", nvidia_high / nvidia_low),
          figure("a100", "A100 80 GB", a100),
          figure("h100", "H100", h100),
          figure("h200", "H200", h200),
          figure("b200", "B200", b200),
          figure("tpu_v5p", "TPU v5p", v5p),
          figure("tpu_v6e", "TPU v6e", v6e),
          figure("smallest", "smallest of these six", low),
          figure("largest", "largest of these six", high),
          figure("spread", "largest over smallest of these six", high / low)};
}

std::vector<Figure> c10(Inputs& in) {
  const auto hopper = estimate_decode(in.decode({kModel, kHopper}));
  const auto blackwell = estimate_decode(in.decode({kModel, kBlackwell}));
  const auto dense = estimate_decode(in.decode({kDense, kHopper}));
  const auto full = estimate_decode(with_load(in.decode({kModel, kBlackwell}), blackwell.ridge_weights, {}));
  return {figure("dense_alone", "dense model, one sequence: step over the floor", dense.step_time / dense.floor_all),
          figure("experts_full", "model with experts at the ridge batch: step over the floor",
                 full.step_time / full.floor_all),
          figure("experts_alone", "model with experts, one sequence: step over the floor",
                 blackwell.step_time / blackwell.floor_all),
          figure("floor_hopper", "DeepSeek-V3 in fp8 on eight H100: all parameters read", hopper.floor_all),
          figure("floor_blackwell", "the same on a GB200 NVL72", blackwell.floor_all),
          figure("floor_alone", "the same with only the experts of one token", blackwell.floor_one)};
}

}  // namespace ridge
