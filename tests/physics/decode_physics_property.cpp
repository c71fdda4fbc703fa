// Does the decode model obey what must be true of any machine? Each law is checked over random physical cases.

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "roofline/answer.hpp"
#include "roofline/random_case.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

using namespace ridge;

namespace {

// A figure is some ten roundings of 1.1e-16 deep, and 1 - (1 - k/E) loses up to a factor E <= 1024 of relative accuracy:
// 1024 * 1.1e-16 = 1.1e-13. One part in 10^12 is above both and below anything physical.
constexpr double kRounding = 1e-12;

bool at_most(double a, double b) { return a <= b + kRounding * std::max(std::fabs(a), std::fabs(b)); }
bool equal(double a, double b) { return at_most(a, b) && at_most(b, a); }

template <class Law>
void for_random_cases(const Law& law) {
  auto draw = testing::seeded_draw();
  for (int i = 0; i < 20; ++i) {
    auto c = i % 2 == 0 ? testing::random_case(draw) : testing::balanced_case(draw);
    if (draw.one_in(3)) c = testing::with_limits(c, draw, draw.one_in(3));
    RC_LOG() << c << "\n";
    law(c, estimate_decode(c), draw);
  }
}

std::size_t input(std::string_view key) { return static_cast<std::size_t>(find_input(key)); }

}  // namespace

TEST_CASE("more bandwidth, compute or chips never slows a step") {
  CHECK(rc::check("the step is not longer on a better machine", [] {
    for_random_cases([](const auto& c, const auto& e, auto& draw) {
      const double factor = draw.log_uniform(1, 100);
      for (const auto key : {"chips", "matmul.weights", "matmul.experts", "matmul.attention", "hbm.bandwidth"}) {
        const auto better = estimate_decode(with_input(c, input(key), input_values(c)[input(key)] * factor));
        RC_ASSERT(at_most(better.step_time.value(), e.step_time.value()));
        RC_ASSERT(at_most(better.step_context_apart.value(), e.step_context_apart.value()));
        RC_ASSERT(at_most(better.step_no_overlap.value(), e.step_no_overlap.value()));
        RC_ASSERT(at_most(better.cost_alone.value(), e.cost_alone.value()));
        RC_ASSERT(at_most(better.cost_floor.value(), e.cost_floor.value()));
      }
    });
  }));
}

TEST_CASE("a larger batch never makes a step shorter, nor a token more expensive") {
  // A step reads touched(B) of the experts, and touched(B) = 1 - q^B is concave with touched(0) = 0, so touched(B) / B
  // falls; every other part of step / B is constant or falls as 1/B. Hence cost per token never rises with the batch.
  CHECK(rc::check("step rises and cost falls with the batch", [] {
    for_random_cases([](const auto& c, const auto& e, auto& draw) {
      const auto larger = estimate_decode(with_input(c, input("batch"), c.batch.value() * draw.log_uniform(1, 1000)));
      RC_ASSERT(at_most(e.step_time.value(), larger.step_time.value()));
      RC_ASSERT(at_most(larger.cost.value(), e.cost.value()));
      RC_ASSERT(at_most(e.total_rate.value(), larger.total_rate.value()));
    });
  }));
}

TEST_CASE("a longer context never makes a step shorter, a token cheaper or the batch limit larger") {
  CHECK(rc::check("context costs", [] {
    for_random_cases([](const auto& c, const auto& e, auto& draw) {
      const auto longer =
          estimate_decode(with_input(c, input("context"), (c.context.value() + 1) * draw.log_uniform(1, 100)));
      RC_ASSERT(at_most(e.step_time.value(), longer.step_time.value()));
      RC_ASSERT(at_most(e.cost.value(), longer.cost.value()));
      if (e.memory_there >= e.weights_stored) RC_ASSERT(at_most(longer.batch_limit.value(), e.batch_limit.value()));
    });
  }));
}

TEST_CASE("the ways to combine compute and memory are in order") {
  CHECK(rc::check("strict <= overlapped <= context apart <= one after the other <= twice overlapped", [] {
    for_random_cases([](const auto&, const auto& e, auto&) {
      RC_ASSERT(at_most(e.floor_one.value(), e.step_strict.value()));
      RC_ASSERT(at_most(e.step_strict.value(), e.step_time.value()));
      RC_ASSERT(at_most(e.step_time.value(), e.step_context_apart.value()));
      RC_ASSERT(at_most(e.step_context_apart.value(), e.step_no_overlap.value()));
      RC_ASSERT(at_most(e.step_no_overlap.value(), 2 * e.step_time.value()));
      RC_ASSERT(at_most(e.floor_one.value(), e.floor_all.value()));
    });
  }));
}

TEST_CASE("the busier resource is busy all the time") {
  CHECK(rc::check("max(mfu, mbu) is exactly 1", [] {
    for_random_cases([](const auto&, const auto& e, auto&) {
      RC_ASSERT(std::max(e.mfu.value(), e.mbu.value()) == 1.0);
      RC_ASSERT(std::min(e.mfu.value(), e.mbu.value()) > 0.0);
    });
  }));
}

TEST_CASE("weights are conserved: one token touches k of E, a huge batch all of them") {
  CHECK(rc::check("touched runs from k/E to 1", [] {
    for_random_cases([](const auto& c, const auto& e, auto&) {
      const double share = c.experts_per_token.value() / c.experts.value();
      RC_ASSERT(equal(estimate_decode(with_input(c, input("batch"), 1.0)).touched.value(), share));
      const auto huge = estimate_decode(with_input(c, input("batch"), 1e9));
      const double all = (c.params_dense * c.width_weights + c.params_routed * c.width_experts).value();
      RC_ASSERT(equal(huge.weights_read.value(), all));
      RC_ASSERT(at_most(e.weights_read.value(), all));
      RC_ASSERT(equal(e.weights_stored.value(), all + (c.params_lookup * c.width_lookup).value()));
      RC_ASSERT(equal(e.memory_needed.value(), (e.weights_stored + e.context_stored).value()));
    });
  }));
}

TEST_CASE("at the batch where it flips, compute takes as long as memory") {
  CHECK(rc::check("flip_batch is the crossing", [] {
    for_random_cases([](const auto& c, const auto& e, auto&) {
      const double flip = flip_batch(c);
      RC_ASSERT((std::isfinite(flip) == std::isfinite(e.ridge.value())));
      if (!std::isfinite(flip)) return;
      RC_ASSERT(at_most(flip, std::max(1.0, e.ridge.value())));  // fewer experts touched flips no later
      const auto there = estimate_decode(with_input(c, input("batch"), flip));
      if (flip == 1.0) {
        RC_ASSERT(at_most(there.memory_time.value(), there.compute_time.value()));
        return;
      }
      // the search stops at one part in 10^9 of the batch, and neither time moves faster than the batch
      RC_ASSERT(std::fabs(there.compute_time.value() - there.memory_time.value()) <= 3e-9 * there.compute_time.value());
    });
  }));
}

TEST_CASE("the cost of a token does not depend on how many chips share the step") {
  CHECK(rc::check("cost is per chip-second", [] {
    for_random_cases([](const auto& c, const auto& e, auto& draw) {
      const auto more = estimate_decode(with_input(c, input("chips"), draw.log_uniform(1, 1e5)));
      RC_ASSERT(equal(more.cost.value(), e.cost.value()));
      RC_ASSERT(equal(more.cost_floor.value(), e.cost_floor.value()));
      RC_ASSERT(equal(more.mfu.value(), e.mfu.value()));
    });
  }));
}

TEST_CASE("there is no ridge exactly when reading a sequence's context takes longer than computing it") {
  CHECK(rc::check("ridge is unbounded iff context outruns compute", [] {
    for_random_cases([](const auto&, const auto& e, auto&) {
      const double compute = e.compute_time.value(), context = e.context_time.value();
      if (std::fabs(compute - context) <= kRounding * compute) return;
      RC_ASSERT((std::isinf(e.ridge.value()) == (context > compute)));
      if (std::isfinite(e.ridge.value()))
        RC_ASSERT(
            at_most(e.ridge_weights.value() * (e.dense_time + e.experts_time).value() / compute, e.ridge.value()));
    });
  }));
}

TEST_CASE("only ratios of units matter") {
  CHECK(rc::check("a unit of bytes twice as large changes nothing but bytes", [] {
    for_random_cases([](const auto& c, const auto& e, auto&) {
      auto scaled = c;
      for (const auto key :
           {"hbm.bandwidth", "hbm.capacity", "width.weights", "width.experts", "width.lookup", "kv.stored", "kv.read",
            "window.stored", "window.read", "selected.read", "root.read", "state.stored", "state.read"}) {
        scaled = with_input(scaled, input(key), 2.0 * input_values(c)[input(key)]);
      }
      const auto values = output_values(e), others = output_values(estimate_decode(scaled));
      for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
        // a factor of two is exact in every operation: equality to the last bit
        RC_ASSERT(others[i] == values[i] * std::exp2(output_dimension(i).byte));
      }
    });
  }));
  CHECK(rc::check("a unit of time twice as long changes nothing but times and rates", [] {
    for_random_cases([](const auto& c, const auto& e, auto&) {
      auto scaled = c;
      for (const auto key : {"hbm.bandwidth", "matmul.weights", "matmul.experts", "matmul.attention", "price"}) {
        scaled = with_input(scaled, input(key), 2.0 * input_values(c)[input(key)]);
      }
      const auto values = output_values(e), others = output_values(estimate_decode(scaled));
      for (std::size_t i = 0; i < kDecodeOutputs; ++i)
        RC_ASSERT(others[i] == values[i] * std::exp2(-output_dimension(i).second));
    });
  }));
}

TEST_CASE("waiting for ever costs the floor, and no batch goes below it") {
  CHECK(rc::check("cost falls to cost_floor", [] {
    for_random_cases([](const auto& c, const auto& e, auto&) {
      RC_ASSERT(at_most(e.cost_floor.value(), e.cost.value()));
      const auto huge = estimate_decode(with_input(c, input("batch"), 1e25));
      // what is left above the floor is the weights' share: weights / (bandwidth * batch)
      RC_ASSERT(std::fabs(huge.cost.value() - e.cost_floor.value()) <= 1e-6 * e.cost_floor.value());
      RC_ASSERT(at_most(huge.total_rate.value(), e.rate_ceiling.value()));
      RC_ASSERT(at_most(e.slow_saving.value(), 1.0));
      RC_ASSERT(e.slow_saving.value() >= -kRounding);
      RC_ASSERT(at_most(1.0, e.fast_ceiling.value()));
      RC_ASSERT(at_most(1.0, e.alone_penalty.value()));
    });
  }));
}
