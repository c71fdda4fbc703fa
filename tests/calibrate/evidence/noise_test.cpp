#include "calibrate/evidence/noise.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace noise_test {

using namespace ridge;

TEST_CASE("two runs of one configuration are as far from it as noise of their size would be") {
  // by hand: ln 11/10 = 0.0953; each lies 0.0477 from the mean, which followed both, so times √2: 0.0674
  const auto lines = noise_of({{"TPOT", "a", "vllm", 0.010}, {"TPOT", "a", "vllm", 0.011}});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].name == "all");
  CHECK(lines[0].configurations == 1);
  CHECK(lines[0].runs == 2);
  CHECK(lines[0].mean == doctest::Approx(0.5 * std::log(1.1) * std::sqrt(2.0)));
  CHECK(lines[1].name == "vllm");
}

TEST_CASE("a configuration that was measured once says nothing about noise") {
  CHECK(noise_of({{"TPOT", "a", "vllm", 0.010}, {"TPOT", "b", "vllm", 0.020}}).empty());
  CHECK(noise_of({{"TPOT", "a", "vllm", 0.010}, {"TTFT", "a", "vllm", 0.020}}).empty());
  CHECK(noise_of({{"TPOT", "a", "vllm", 0.010}, {"TPOT", "a", "vllm", 0}}).empty());
}

TEST_CASE("mean, median and 90th percentile are those of all runs that were repeated") {
  // configuration a: three equal runs, distance 0 each; b: e^0 and e^0.2, each 0.1·√2 = 0.1414 from their mean
  const std::vector<NoiseSample> samples = {{"TTFT", "a", "vllm", 1},
                                            {"TTFT", "a", "vllm", 1},
                                            {"TTFT", "a", "vllm", 1},
                                            {"TTFT", "b", "atom", 1},
                                            {"TTFT", "b", "atom", std::exp(0.2)}};
  const auto lines = noise_of(samples);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].configurations == 2);
  CHECK(lines[0].runs == 5);
  CHECK(lines[0].mean == doctest::Approx(2 * 0.1 * std::sqrt(2.0) / 5));
  CHECK(lines[0].median == doctest::Approx(0));
  CHECK(lines[0].p90 == doctest::Approx(0.1 * std::sqrt(2.0)));
  CHECK(lines[1].name == "atom");
  CHECK(lines[1].runs == 2);
}

TEST_CASE("another version, month or load is another configuration") {
  ServingRow row;
  row.model = "m";
  row.concurrency = 8;
  row.tpot = 0.01;
  ServingRow again = row;
  again.id = "other";
  again.tpot = 0.02;
  CHECK(configuration_of(row) == configuration_of(again));
  ServingRow newer = row, later = row, fuller = row;
  newer.version = "2";
  later.date = "2026-02";
  fuller.concurrency = 16;
  for (const ServingRow& other : {newer, later, fuller}) CHECK(configuration_of(row) != configuration_of(other));
}

}  // namespace noise_test
