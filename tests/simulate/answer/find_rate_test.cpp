// The highest rate under a promise, on a server whose limit is known.

#include "simulate/answer/find_rate.hpp"

#include <doctest/doctest.h>

#include "simulate/answer/figures.hpp"

namespace ridge::simulate::find_rate_test {

/// One request at a time, 10 ms each, at even gaps: below 100 a second nobody waits, above it the queue grows.
RateQuestion even_question() {
  RateQuestion question;
  SimulationSetup& setup = question.setup;
  setup.replica.rules.max_sequences = 1;
  setup.replica.rules.composed_early = false;
  setup.replica.limits.blocks = 1 << 24;
  setup.replica.time = [](std::span<const StepWork>) { return Nanoseconds{10'000'000}; };
  setup.client.prompt = {100, 100};
  setup.client.arrivals = OpenLoop{.rate = 1, .burstiness = 0};
  question.targets.ttft = 0.0101;
  question.capacity = 70;  // a closed form that is off by 30 %
  return question;
}

TEST_CASE("the rate found is the server's limit, within 1 %, whatever the first guess was") {
  for (const double guess : {7.0, 70.0, 99.0, 3000.0}) {
    CAPTURE(guess);
    RateQuestion question = even_question();
    question.capacity = guess;
    const RateSearch found = find_rate(question);
    REQUIRE(found.rate);
    CHECK(*found.rate <= 100);
    CHECK(*found.rate >= 99);
    CHECK(found.fails_at / *found.rate <= 1.01);
    for (std::size_t i = 1; i < found.points.size(); ++i) CHECK(found.points[i - 1].rate < found.points[i].rate);
  }
}

TEST_CASE("any number of threads visits the same rates with the same results") {
  RateQuestion question = even_question();
  std::get<OpenLoop>(question.setup.client.arrivals).burstiness = 1;
  question.targets.ttft = 0.1;
  const RateSearch one = find_rate(question);
  question.threads = 4;
  const RateSearch four = find_rate(question);
  REQUIRE(one.points.size() == four.points.size());
  CHECK(one.rate == four.rate);
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    CHECK(one.points[i].rate == four.points[i].rate);
    CHECK(one.points[i].ttft.p99 == four.points[i].ttft.p99);
  }
}

TEST_CASE("where one request alone is too slow, no rate is looked for") {
  RateQuestion question = even_question();
  question.targets.ttft = 0.009;
  const RateSearch found = find_rate(question);
  CHECK_FALSE(found.rate);
  CHECK_FALSE(found.alone.holds);
  CHECK(found.points.empty());
}

TEST_CASE("a search that is stopped has no rate of half a run") {
  const RateSearch found = find_rate(even_question(), [](std::int64_t) { return false; });
  CHECK(found.stopped);
  CHECK(found.points.empty());
}

TEST_CASE("seeds: mean and 95 % interval by Student's t") {
  // by hand: 1, 2, 3: mean 2, deviation 1, over the root of 3: 0.57735; times 4.303: 2.4843
  const auto spread = over_seeds({{{"x", 1}}, {{"x", 2}}, {{"x", 3}}});
  REQUIRE(spread.size() == 1);
  CHECK(spread[0].mean == doctest::Approx(2));
  CHECK(spread[0].high == doctest::Approx(4.4843).epsilon(1e-4));
  CHECK(spread[0].low == doctest::Approx(-0.4843).epsilon(1e-3));
  // 41 runs: t of 40 degrees of freedom is 2.021
  std::vector<std::vector<RunFigure>> many;
  for (int i = 0; i <= 40; ++i) many.push_back({{"x", i % 2 == 0 ? 1.0 : -1.0}});
  const auto wide = over_seeds(many);
  // mean 1/41; squares 41 - 1/41, over 40 and 41: deviation of the mean 0.15807
  CHECK(wide[0].high - wide[0].mean == doctest::Approx(2.021 * 0.15807).epsilon(2e-4));
}

}  // namespace ridge::simulate::find_rate_test
