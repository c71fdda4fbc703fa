// The same laws at one machine a person can work out: a toy of round numbers, every figure by hand.

#include <cmath>

#include <doctest/doctest.h>

#include "roofline/answer.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

using namespace ridge;
using doctest::Approx;

namespace {

// 4 chips of 1000 TFLOP/s, 5 TB/s and 100 GB at $3.60/h; 20 G dense and 100 G routed parameters in 10 experts, 2 of them
// used, 1 B each; 100 kB of context a token, 10 MFLOP of attention; batch 100 at 1000 tokens.
DecodeCase<double> toy() {
  DecodeCase<double> c;
  c.chips = 4.0;
  c.matmul_weights = c.matmul_experts = c.matmul_attention = FlopsPerSecond<double>(1e15);
  c.hbm_bandwidth = BytesPerSecond<double>(5e12);
  c.hbm_capacity = Bytes<double>(100e9);
  c.price = DollarsPerSecond<double>(1e-3);
  c.utilization = 0.5;
  c.params_dense = Params<double>(20e9);
  c.params_routed = Params<double>(100e9);
  c.params_lookup = Params<double>(1e9);
  c.experts = 10.0;
  c.experts_per_token = 2.0;
  c.width_weights = c.width_experts = c.width_lookup = BytesPerParam<double>(1.0);
  c.kv_stored = c.kv_read = BytesPerToken<double>(100e3);
  c.attention_flops = FlopsPerToken<double>(10e6);
  c.batch = 100.0;
  c.context = Tokens<double>(1000);
  return c;
}

}  // namespace

TEST_CASE("every figure of the toy machine is what a person gets") {
  const auto e = estimate_decode(toy());
  // touched: 1 - 0.8^100 = 1 - 2.04e-10
  CHECK(e.touched.value() == Approx(1 - std::pow(0.8, 100)).epsilon(1e-14));
  CHECK(e.weights_read.value() == Approx(120e9).epsilon(1e-9));
  CHECK(e.context_read.value() == Approx(10e9));                // 100 * 1000 * 100 kB
  CHECK(e.weights_time.value() == Approx(6e-3).epsilon(1e-9));  // 120 GB / 20 TB/s
  CHECK(e.context_time.value() == Approx(0.5e-3));              // 10 GB / 20 TB/s
  CHECK(e.dense_time.value() == Approx(1e-3));                  // 2 * 20e9 * 100 / 4e15
  CHECK(e.experts_time.value() == Approx(1e-3));                // 2 * 100e9 * 0.2 * 100 / 4e15
  CHECK(e.attention_time.value() == Approx(0.25e-3));           // 10e6 * 1000 * 100 / 4e15
  CHECK(e.memory_time.value() == Approx(6.5e-3).epsilon(1e-9));
  CHECK(e.compute_time.value() == Approx(2.25e-3));
  CHECK(e.step_time.value() == Approx(6.5e-3).epsilon(1e-9));
  CHECK(e.step_context_apart.value() == Approx(6.5e-3).epsilon(1e-9));  // 0.5 + max(2.25, 6)
  CHECK(e.step_no_overlap.value() == Approx(8.75e-3).epsilon(1e-9));
  CHECK(e.step_strict.value() == Approx(2.5e-3));  // (20 + 20) GB / 20 TB/s + 0.5 ms
  CHECK(e.floor_all.value() == Approx(6e-3));
  CHECK(e.floor_one.value() == Approx(2e-3));
  CHECK(e.sweep_time.value() == Approx(20e-3));           // 100 GB / 5 TB/s
  CHECK(e.ridge_weights.value() == Approx(300));          // 120e9 / (80e9/1e15 s * 5e12) = 120e9 / 4e8
  CHECK(e.ridge.value() == Approx(342.857142857));        // 120e9 / (90e9/1e15 * 5e12 - 1e8) = 120e9 / 3.5e8
  CHECK(e.balance_context.value() == Approx(4000));       // 4e8 B / 100 kB
  CHECK(e.balance_context_full.value() == Approx(8000));  // 4e8 / (1e5 - 10e6 * 5e12 / 1e15 = 5e4)
  CHECK(e.weights_stored.value() == Approx(121e9));
  CHECK(e.context_stored.value() == Approx(10e9));
  CHECK(e.memory_needed.value() == Approx(131e9));
  CHECK(e.memory_there.value() == Approx(400e9));
  CHECK(e.batch_limit.value() == Approx(2790));                   // (400 - 121) GB / 100 MB
  CHECK(e.user_rate.value() == Approx(153.84615).epsilon(1e-6));  // 1 / 6.5 ms
  CHECK(e.total_rate.value() == Approx(15384.615).epsilon(1e-6));
  CHECK(e.chip_rate.value() == Approx(3846.1538).epsilon(1e-6));
  CHECK(e.rate_ceiling.value() == Approx(44444.444).epsilon(1e-6));  // 4 / 90 us
  // $1e-3 a chip-second, half of it used: 2e-3 * 4 * 6.5e-3 / 100 = 5.2e-7 $/token
  CHECK(e.cost.value() == Approx(5.2e-7).epsilon(1e-9));
  CHECK(e.cost_floor.value() == Approx(1.8e-7));  // 2e-3 * 90 us
  // alone: max(90 us, 40 GB / 5 TB/s + 100 MB / 5 TB/s) = 8.02 ms
  CHECK(e.cost_alone.value() == Approx(1.604e-5));
  CHECK(e.alone_penalty.value() == Approx(89.1111).epsilon(1e-5));
  CHECK(e.slow_saving.value() == Approx(0.6538461).epsilon(1e-6));   // 1 - 1.8 / 5.2
  CHECK(e.fast_ceiling.value() == Approx(3.2418952).epsilon(1e-6));  // 6.5 ms * 4 / 8.02 ms
  CHECK(e.mfu.value() == Approx(0.3461538).epsilon(1e-6));
  CHECK(e.mbu.value() == 1.0);
  CHECK(e.longest_wait.value() == Approx(13e-3).epsilon(1e-9));
}

TEST_CASE("doubling the bandwidth halves a memory-bound step and leaves a compute-bound one alone") {
  auto fast = toy();
  fast.hbm_bandwidth = fast.hbm_bandwidth * 2.0;
  CHECK(estimate_decode(fast).step_time.value() == Approx(3.25e-3).epsilon(1e-9));
  auto bound = toy();
  bound.batch = 1000.0;  // compute 22.5 ms; memory 6 + 5 ms
  fast.batch = 1000.0;
  CHECK(estimate_decode(bound).step_time.value() == Approx(22.5e-3));
  CHECK(estimate_decode(fast).step_time == estimate_decode(bound).step_time);
}

TEST_CASE("the batch flips to compute a little after the ridge of the toy machine, or never") {
  // by hand: 0.9e-4 s * B / 4 = (20e9 + 100e9 (1 - 0.8^B)) / 20e12 + B * 5e-6; with all touched B = 342.857
  CHECK(flip_batch(toy()) == Approx(342.857142857).epsilon(1e-8));
  auto slow = toy();
  slow.context = Tokens<double>(1e6);  // attention 10 ms of compute a sequence, but 20 ms of reading
  CHECK(std::isinf(flip_batch(slow)));
  CHECK(std::isinf(estimate_decode(slow).ridge.value()));
}

TEST_CASE("without context the weights decide alone whether anything fits") {
  auto empty = toy();
  empty.context = Tokens<double>(0);
  CHECK(std::isinf(estimate_decode(empty).batch_limit.value()));  // 121 GB of weights in 400 GB: any batch
  empty.chips = 1.0;                                              // 121 GB in 100 GB: none
  const auto e = estimate_decode(empty);
  REQUIRE(e.memory_needed > e.memory_there);
  CHECK(e.batch_limit.value() < 1.0);
}
