// When does a model that one scale-up domain cannot hold want pipeline stages, and when ZeRO-3?

#include "train/schedule/division.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace ridge::train::division_test {

using doctest::Approx;

/// 100B parameters of 16 B over 1,024 chips in domains of 8 with 50 GB of state each: four domains hold it.
DivisionCase<double> round_division(double batch) {
  DivisionCase<double> c;
  c.chips = 1024.0;
  c.domain = 8.0;
  c.params = c.active = Params<double>(1e11);
  c.state = BytesPerParam<double>(16.0);
  c.width = BytesPerParam<double>(2.0);
  c.memory = Bytes<double>(5e10);
  c.rate = FlopsPerSecond<double>(4e14);
  c.network = BytesPerSecond<double>(5e10);
  c.batch = Tokens<double>(batch);
  c.microbatch = Tokens<double>(2000.0);
  return c;
}

TEST_CASE("a large batch hides ZeRO's traffic, and stages only lose") {
  // compute 6 x 1e11 x 4e6 / (1024 x 4e14) = 5.859 s; traffic 3 x 1e11 x 2 / (8 x 5e10) = 1.5 s
  const auto verdict = divide_model(round_division(4e6), ScheduleKind::one_f_one_b);
  REQUIRE(verdict.has_value());
  CHECK(verdict->stages == 4);
  CHECK(verdict->by_zero.compute.value() == Approx(5.859).epsilon(1e-3));
  CHECK(verdict->by_zero.lost.value() == 0);
  CHECK(verdict->by_stages.lost.value() > 0);
  CHECK(verdict->cheaper == Division::zero);
  CHECK(std::isinf(microbatches_for_stages(round_division(4e6), 4).value()));
}

TEST_CASE("a small batch shows it, and stages win from so many micro-batches on") {
  // compute 0.7324 s, so 0.7676 s of 1.5 s show. 32 replicas, 250 micro-batches: 7 each; bubble 3/7 of 0.7324 = 0.3139 s
  DivisionCase<double> c = round_division(5e5);
  const auto verdict = divide_model(c, ScheduleKind::one_f_one_b);
  REQUIRE(verdict.has_value());
  CHECK(verdict->by_zero.lost.value() == Approx(0.7676).epsilon(1e-3));
  CHECK(verdict->by_stages.lost.value() == Approx(0.3139).epsilon(1e-3));
  CHECK(verdict->cheaper == Division::stages);
  // 3 x 0.7324 / 0.7676 = 2.86: at two micro-batches a replica (8,000 tokens each) the verdict is the other one
  CHECK(microbatches_for_stages(c, 4).value() == Approx(2.8627).epsilon(1e-3));
  c.microbatch = Tokens<double>(7500.0);  // 66.7 / 32 = 2.08
  CHECK(divide_model(c, ScheduleKind::one_f_one_b)->cheaper == Division::zero);
  c.microbatch = Tokens<double>(5000.0);  // 100 / 32 = 3.1
  CHECK(divide_model(c, ScheduleKind::one_f_one_b)->cheaper == Division::stages);
}

TEST_CASE("a larger domain ends the argument") {
  // 3 x 1e11 x 2 / 5e10 / 0.7324 = 16.4 chips hide all of it; at 16 there is 0.018 s left to lose, less than any bubble
  const DivisionCase<double> c = round_division(5e5);
  CHECK(domain_that_hides_zero(c).value() == Approx(16.384).epsilon(1e-3));
  CHECK(*domain_without_stages(c, ScheduleKind::one_f_one_b) == 16);
  DivisionCase<double> large = c;
  large.domain = 32.0;  // 32 x 50 GB hold 1.6 TB
  const auto verdict = divide_model(large, ScheduleKind::one_f_one_b);
  CHECK(verdict->stages == 1);
  CHECK(verdict->cheaper == Division::one_domain);
  CHECK(verdict->by_stages.lost.value() == 0);
}

TEST_CASE("the domains of docs/theory/schedules.md: 16,384 chips, 2^24 tokens, 40 % of the bf16 peak") {
  const auto domain = [](double peak, double network, double params_over_active) {
    DivisionCase<double> c = round_division(16777216);
    c.chips = 16384.0;
    c.rate = FlopsPerSecond<double>(0.4 * peak);
    c.network = BytesPerSecond<double>(network);
    c.params = params_over_active * c.active;
    return domain_that_hides_zero(c).value();
  };
  CHECK(domain(989e12, 50e9, 1) == Approx(7.73).epsilon(1e-3));    // HGX H100, 8 chips
  CHECK(domain(2250e12, 50e9, 1) == Approx(17.58).epsilon(1e-3));  // HGX B200, 8 chips
  CHECK(domain(2500e12, 50e9, 1) == Approx(19.53).epsilon(1e-3));  // GB200 NVL72
  CHECK(domain(2500e12, 100e9, 1) == Approx(9.77).epsilon(1e-3));  // GB300 NVL72
  CHECK(domain(2500e12, 50e9, 671.0 / 37) == Approx(354.2).epsilon(1e-3));
}

}  // namespace ridge::train::division_test
