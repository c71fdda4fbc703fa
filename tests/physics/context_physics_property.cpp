// The cost of context with windows, selections, states and roots: it grows, and its inverse is its inverse.

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "roofline/random_case.hpp"

namespace ridge {

namespace {

constexpr double kClose = 1e-6;

DecodeCase<double> drawn(testing::Draw& draw) {
  return testing::with_limits(testing::balanced_case(draw), draw, draw.one_in(3));
}

DecodeCase<double> at_context(DecodeCase<double> c, double context) {
  c.context = Tokens<double>(context);
  return c;
}

bool close(double a, double b) { return std::fabs(a - b) <= kClose * std::fmax(std::fabs(a), std::fabs(b)); }

}  // namespace

TEST_CASE("a longer context never reads, stores or computes less") {
  CHECK(rc::check("every cost of context is non-decreasing", [] {
    auto draw = testing::seeded_draw();
    const auto c = drawn(draw);
    RC_LOG() << c << "\n";
    const auto shorter = estimate_decode(c);
    const auto longer = estimate_decode(at_context(c, c.context.value() * draw.log_uniform(1, 1e3)));
    RC_ASSERT(longer.context_read >= shorter.context_read);
    RC_ASSERT(longer.context_stored >= shorter.context_stored);
    RC_ASSERT(longer.attention_time >= shorter.attention_time);
  }));
}

TEST_CASE("the longest context that fits fills the memory, and the balanced one takes as long to read as to compute") {
  CHECK(rc::check("context_limit and balance_context are where their equations say", [] {
    auto draw = testing::seeded_draw();
    const auto c = drawn(draw);
    RC_LOG() << c << "\n";
    const auto e = estimate_decode(c);
    if (const double longest = e.context_limit.value(); std::isfinite(longest) && longest > 1) {
      const auto full = estimate_decode(at_context(c, longest));
      RC_ASSERT(close(full.memory_needed.value(), full.memory_there.value()));
    }
    if (const double balanced = e.balance_context.value(); std::isfinite(balanced) && balanced > 1) {
      const auto there = estimate_decode(at_context(c, balanced));
      RC_ASSERT(close(there.context_time.value(), (there.dense_time + there.experts_time).value()));
    }
  }));
}

TEST_CASE("context that all terms have outgrown is read like a straight line") {
  // beyond every limit and without a root, one token more costs kv_read and nothing else
  CHECK(rc::check("the slope far out is that of plain attention", [] {
    auto draw = testing::seeded_draw();
    const auto c = testing::with_limits(testing::balanced_case(draw), draw, false);
    const auto a = estimate_decode(at_context(c, 1e9)), b = estimate_decode(at_context(c, 2e9));
    RC_ASSERT(close((b.context_read - a.context_read).value(), 1e9 * (c.batch * c.kv_read).value()));
  }));
}

TEST_CASE("a window no shorter than the context is plain attention") {
  // by hand: read 3 + 2 bytes a token of 1,000 tokens, window 4,096: 5,000 B, as 5 bytes a token without a window
  DecodeCase<double> c;
  c.chips = 1.0;
  c.matmul_weights = c.matmul_experts = c.matmul_attention = FlopsPerSecond<double>(1e12);
  c.hbm_bandwidth = BytesPerSecond<double>(1e9);
  c.hbm_capacity = Bytes<double>(1e9);
  c.utilization = 1.0;
  c.params_dense = Params<double>(1e6);
  c.experts = c.experts_per_token = 1.0;
  c.width_weights = c.width_experts = c.width_lookup = BytesPerParam<double>(1.0);
  c.batch = 1.0;
  c.context = Tokens<double>(1000);
  c.kv_read = c.kv_stored = BytesPerToken<double>(3);
  DecodeCase<double> windowed = c;
  windowed.window = Tokens<double>(4096);
  windowed.window_read = windowed.window_stored = BytesPerToken<double>(2);
  windowed.has = parts_of(input_values(windowed));
  CHECK(estimate_decode(windowed).context_read.value() == 5000);
  c.kv_read = c.kv_stored = BytesPerToken<double>(5);
  CHECK(estimate_decode(c).context_read.value() == 5000);
  // ten windows long: 3 x 40,960 + 2 x 4,096
  CHECK(estimate_decode(at_context(windowed, 40960)).context_read.value() == 131072);
  // (1e9 - 1e6 - 2 x 4,096) / 3 tokens fit
  CHECK(estimate_decode(windowed).context_limit.value() == doctest::Approx((1e9 - 1e6 - 8192) / 3));
}

}  // namespace ridge
