// TTFT by the closed form where capacity is a tenth off.

#include "serve/error/ttft_range.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace ridge::ttft_range_test {

std::optional<TtftAtCapacities> range_at(double rate) {
  ServingQuestion question;
  question.scenario.model = "llama-3.1-8b";
  question.scenario.machine = "hgx-h100";
  question.tensor = 1;
  question.isl = 1024;
  question.osl = 100;
  question.rate = rate;
  const auto answer = answer_serving(question, testing::library());
  REQUIRE(answer);
  if (!answer->answer) return {};
  return ttft_at_capacities(*answer->answer);
}

TEST_CASE("far from saturation a tenth of capacity changes TTFT by about a tenth") {
  const auto range = range_at(1);
  REQUIRE(range);
  CHECK_FALSE(range->is_several_fold());
  // steps of 1 / 0.9 and 1 / 1.1: a quarter apart, and a little of queueing
  CHECK((range->less / range->more).value() == doctest::Approx(1.1 / 0.9).epsilon(0.05));
}

TEST_CASE("TTFT grows without end where a tenth less could not keep up") {
  double rate = 1;
  while (range_at(rate * 1.05) && !range_at(rate)->saturated) rate *= 1.05;
  const auto range = range_at(rate);
  REQUIRE(range);
  CHECK(range->saturated);
  CHECK(range->is_several_fold());
  CHECK_FALSE(range_at(rate * 0.7)->saturated);
}

TEST_CASE("without a rate there is no capacity to be off") {
  ServingQuestion question;
  question.scenario.model = "llama-3.1-8b";
  question.scenario.machine = "hgx-h100";
  const auto answer = answer_serving(question, testing::library());
  REQUIRE(answer->answer);
  CHECK_FALSE(ttft_at_capacities(*answer->answer));
}

}  // namespace ridge::ttft_range_test
