// Do the closed forms and searches agree with trying everything?

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "roofline/answer.hpp"
#include "roofline/readings.hpp"

using namespace ridge;

namespace {

DecodeCase<double> small_case(std::mt19937_64& random) {
  const auto spread = [&](double from, double to) {
    return from * std::pow(to / from, std::uniform_real_distribution<double>()(random));
  };
  DecodeCase<double> c;
  c.chips = std::round(spread(1, 16));
  c.matmul_weights = c.matmul_experts = c.matmul_attention = FlopsPerSecond<double>(spread(1e14, 1e15));
  c.hbm_bandwidth = BytesPerSecond<double>(c.matmul_weights.value() / spread(50, 400));
  c.hbm_capacity = Bytes<double>(spread(2e9, 4e11));
  c.utilization = 1.0;
  c.params_dense = Params<double>(spread(1e9, 1e11));
  c.params_routed = Params<double>(spread(1e8, 1e11));
  c.params_lookup = Params<double>(spread(1e7, 1e9));
  c.experts = std::round(spread(1, 32));
  c.experts_per_token = std::min(std::round(spread(1, 8)), c.experts.value());
  c.width_weights = c.width_experts = BytesPerParam<double>(1.0);
  c.kv_stored = c.kv_read = BytesPerToken<double>(spread(1e4, 3e5));
  c.attention_flops = FlopsPerToken<double>(spread(1e5, 1e8));
  c.batch = 1.0;
  c.context = Tokens<double>(std::round(spread(10, 1e4)));
  return c;
}

DecodeEstimate<double> at_batch(DecodeCase<double> c, double batch) {
  c.batch = batch;
  return estimate_decode(c);
}

/// Mean and standard error of the number of distinct experts that `tokens` tokens ask for, k distinct ones each.
struct Touched {
  double mean, error;
};
Touched routed_by_chance(std::mt19937_64& random, int experts, int per_token, int tokens, int trials) {
  std::vector<int> order(static_cast<std::size_t>(experts));
  double sum = 0, squares = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<bool> used(order.size(), false);
    for (int token = 0; token < tokens; ++token) {
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
      for (std::size_t i = 0; i < static_cast<std::size_t>(per_token); ++i) {  // the start of a Fisher-Yates shuffle
        const std::size_t other = std::uniform_int_distribution<std::size_t>(i, order.size() - 1)(random);
        std::swap(order[i], order[other]);
        used[static_cast<std::size_t>(order[i])] = true;
      }
    }
    const auto distinct = static_cast<double>(std::count(used.begin(), used.end(), true));
    sum += distinct;
    squares += distinct * distinct;
  }
  const double mean = sum / trials;
  return {mean, std::sqrt(std::max(0.0, squares / trials - mean * mean) / trials)};
}

}  // namespace

TEST_CASE("the flip batch, rounded up, is the first whole batch at which compute binds") {
  constexpr int kScanned = 20000;
  std::mt19937_64 random(31);
  INFO("seed 31");
  int found = 0, none = 0;
  for (int i = 0; i < 60; ++i) {
    const auto c = small_case(random);
    const double flip = flip_batch(c);
    int first = 1;
    while (first <= kScanned && at_batch(c, first).compute_time < at_batch(c, first).memory_time) ++first;
    CAPTURE(flip);
    CAPTURE(first);
    if (first > kScanned) {
      CHECK(flip > kScanned);
      ++none;
    } else {
      // the search stops within one part in 10^9, so a flip that close above a whole number may round up past it
      CHECK(std::ceil(flip * (1 - 2e-9)) == first);
      ++found;
    }
  }
  CHECK(found >= 10);
  CHECK(none >= 1);
}

TEST_CASE("the batch limit is the largest whole batch whose weights and context fit") {
  std::mt19937_64 random(32);
  INFO("seed 32");
  int fitting = 0, not_even_one = 0;
  for (int i = 0; i < 200; ++i) {
    const auto c = small_case(random);
    const auto fits = [&](double batch) {
      const auto e = at_batch(c, batch);
      return e.memory_needed <= e.memory_there;
    };
    int largest = 0;
    while (largest < 20000 && fits(largest + 1)) ++largest;
    const double limit = at_batch(c, 1).batch_limit.value();
    CAPTURE(limit);
    CAPTURE(largest);
    if (largest == 20000) continue;
    CHECK(std::max(0.0, std::floor(limit)) == largest);
    // the limit does not depend on the batch that was asked for
    CHECK(at_batch(c, 777).batch_limit.value() == limit);
    ++(largest > 0 ? fitting : not_even_one);
  }
  CHECK(fitting >= 30);
  CHECK(not_even_one >= 10);
}

TEST_CASE("the expected share of touched experts is what random routing gives, within three standard errors") {
  std::mt19937_64 random(33);
  INFO("seed 33");
  struct Routing {
    int experts, per_token, tokens;
  };
  for (const auto& [experts, per_token, tokens] :
       {Routing{8, 2, 1}, {8, 2, 3}, {64, 6, 10}, {64, 6, 40}, {128, 8, 16}, {256, 8, 32}, {256, 8, 128}}) {
    CAPTURE(experts);
    CAPTURE(tokens);
    const Touched chance = routed_by_chance(random, experts, per_token, tokens, 2000);
    DecodeCase<double> c = small_case(random);
    c.experts = static_cast<double>(experts);
    c.experts_per_token = static_cast<double>(per_token);
    const double expected = experts * at_batch(c, tokens).touched.value();
    CHECK(std::fabs(expected - chance.mean) <= 3 * chance.error + 1e-9);
  }
}
