// The bound beside a calibrated answer, and what would flip it.

#include "serve/serving_bound.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "roofline/flips.hpp"
#include "roofline/readings.hpp"

namespace serving_bound_test {

using namespace ridge;

namespace {

ServingAnswer answer_of(const char* model, const char* machine, double tensor, double data, double concurrency) {
  ServingQuestion question;
  question.scenario.model = model;
  question.scenario.machine = machine;
  question.tensor = tensor;
  question.attention_data = data;
  question.isl = 1000;
  question.osl = 500;
  question.concurrency = concurrency;
  auto result = answer_serving(question, testing::library());
  REQUIRE(result);
  REQUIRE(result->answer);
  return *result->answer;
}

}  // namespace

TEST_CASE("a bound is better than the calibrated answer that it stands beside") {
  for (const ServingAnswer& answer :
       {answer_of("llama-3.1-70b", "hgx-h100", 4, 1, 64), answer_of("deepseek-v3", "hgx-b200", 1, 8, 256),
        answer_of("llama-3.1-8b", "hgx-h100", 1, 1, 1)}) {
    const ServingBound bound = bound_of(answer);
    CHECK(bound.tpot < answer.estimate.times.tpot);
    CHECK(bound.user_rate > answer.estimate.user_rate);
    CHECK(bound.output_rate_per_chip.value() > answer.estimate.output_rate.value() / answer.estimate.chips.value());
    CHECK(bound.cost < answer.estimate.cost);
  }
}

TEST_CASE("the bound of one chip, worked out by hand") {
  // Llama 3.1 8B in bf16 on one H100 with one request: a step reads the weights, 16.06 GB less the embedding table of
  // 1.05 GB, at 3.35 TB/s: 4.48 ms, and 1,250 tokens of KV of 131,072 B each (fp8: half), 0.05 ms at most.
  const ServingAnswer answer = answer_of("llama-3.1-8b", "hgx-h100", 1, 1, 1);
  const ServingBound bound = bound_of(answer);
  CHECK(bound.binds == StepResource::memory);
  CHECK(bound.tpot.value() > 4.45e-3);
  CHECK(bound.tpot.value() < 4.6e-3);
  // a request: 1,000 tokens of prompt at 2 * 7.5e9 FLOP and 989 TFLOP/s, 15 ms, and 499 steps of 4.5 ms
  const double seconds = 1000 * 2 * 7.50e9 / 989e12 + 499 * bound.tpot.value();
  CHECK(bound.output_rate_per_chip.value() == doctest::Approx(500 / seconds).epsilon(2e-3));
}

TEST_CASE("at a flip the other resource binds, and just before it this one does") {
  for (const ServingAnswer& answer :
       {answer_of("llama-3.1-70b", "hgx-h100", 4, 1, 64), answer_of("deepseek-v3", "hgx-b200", 1, 8, 256)}) {
    const auto all = serving_flips(answer);
    CHECK_FALSE(all.empty());
    bool bandwidth = false;
    for (const Flip& one : all) {
      CAPTURE(one.input);
      bandwidth = bandwidth || one.input == "hbm.bandwidth";
      CHECK(one.binds != name_of(bound_of(answer).binds));
      CHECK(one.factor() != 1);
    }
    CHECK(bandwidth);
  }
}

TEST_CASE("every flip of a decode step is where compute and memory take the same time") {
  Scenario scenario;
  scenario.model = "llama-3.1-70b";
  scenario.machine = "hgx-h100";
  scenario.given = {{"batch", 32, {"test", Kind::user}}, {"context", 2000, {"test", Kind::user}}};
  const auto resolved = resolve(scenario, testing::library());
  REQUIRE(resolved);
  const auto all = flips(*resolved);
  CHECK(all.size() >= 3);
  double last = 0;
  for (const Flip& one : all) {
    CAPTURE(one.input);
    CHECK(one.binds == "compute");
    CHECK(std::abs(std::log(one.factor())) >= last);  // smallest changes first
    last = std::abs(std::log(one.factor()));
    if (one.input.starts_with("matmul.")) continue;  // several inputs at once
    const auto e = estimate_decode(with_input(resolved->numbers, input_index(one.input), one.to));
    CHECK(e.compute_time.value() == doctest::Approx(e.memory_time.value()).epsilon(1e-8));
  }
}

}  // namespace serving_bound_test
