// The stages between a question and its answer, each alone.

#include "serve/deployment.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "serve/serving.hpp"

namespace deployment_test {

using namespace ridge;
using ridge::testing::library;

namespace {

ServingQuestion asked(const char* model, const char* machine) {
  ServingQuestion question;
  question.scenario.model = model;
  question.scenario.machine = machine;
  return question;
}

}  // namespace

TEST_CASE("a ground knows formats, numbers and where each comes from, before any layout") {
  const ServingGround ground = serving_ground(asked("llama-3.1-70b", "hgx-h100"), library()).value();
  CHECK(ground.model->name == "llama-3.1-70b");
  CHECK(ground.chip->name == "h100-sxm");
  CHECK(ground.kv == "bf16");                                // H100 multiplies no 4-bit numbers
  CHECK(ground.numbers.peak.memory.value() == 3.35e12);      // datasheet
  CHECK(ground.numbers.memory_utilization.value() == 0.92);  // vLLM
  CHECK(ground.numbers.price.value() > 0);
  for (const Provenance& from : ground.from) CHECK(!from.source.empty());
}

TEST_CASE("a layout that is not given is the fewest chips that hold the load, and says so") {
  ServingQuestion question = asked("llama-3.1-70b", "hgx-h100");
  question.concurrency = 1;
  question.isl = question.osl = 1000;
  const ServingGround ground = serving_ground(question, library()).value();
  const LayoutChoice choice = chosen_layout(question, ground).value();
  // 70.6 G x 2 B = 141 GB of weights: not on one chip that shows 85.5 GB, but on 0.92 of two, 157 GB
  CHECK(choice.layout.tensor == 2);
  REQUIRE(choice.notes.size() == 1);
  CHECK(choice.notes.front().find("fewest chips") != std::string::npos);
  question.tensor = 8;
  CHECK(chosen_layout(question, ground).value().layout.tensor == 8);
  CHECK(chosen_layout(question, ground).value().notes.empty());
}

TEST_CASE("with other degrees given nobody speaks of the fewest chips") {
  ServingQuestion question = asked("deepseek-v3", "hgx-b200");
  question.attention_data = question.expert = 8;
  const ServingGround ground = serving_ground(question, library()).value();
  const LayoutChoice choice = chosen_layout(question, ground).value();
  for (const std::string& note : choice.notes) CHECK(note.find("fewest chips") == std::string::npos);
}

TEST_CASE("an evaluation is the answer: whoever asks a deployment gets what `answer_serving` says") {
  ServingQuestion question = asked("deepseek-v3", "hgx-h200");
  question.tensor = 8;
  question.isl = 2000;
  question.osl = 500;
  question.concurrency = 32;
  const ServingAnswer answer = answer_serving(question, library()).value().answer.value();
  const Deployment deployment = resolve(question, library()).value();
  const ServingEstimate estimate = evaluate(deployment, RequestLoad{2000, 500, 0, 32});
  CHECK(estimate.times.tpot == answer.estimate.times.tpot);
  CHECK(estimate.output_cost == answer.estimate.output_cost);
  CHECK(estimate.memory.sequences.value() == answer.estimate.memory.sequences.value());
}

TEST_CASE("the parts of a step's memory traffic add up, and weights are what is read without a context") {
  ServingQuestion question = asked("llama-3.1-8b", "hgx-h100");
  question.tensor = 1;
  const Deployment deployment = resolve(question, library()).value();
  const ServingEstimate some = evaluate(deployment, RequestLoad{4000, 500, 0, 16});
  CHECK((some.step.weights_read + some.step.kv_read).value() == doctest::Approx(some.step.memory.value()));
  const ServingEstimate hardly = evaluate(deployment, RequestLoad{1, 1, 0, 16});
  CHECK(hardly.step.memory.value() == doctest::Approx(some.step.weights_read.value()).epsilon(1e-3));
}

TEST_CASE("requests in flight for a rate finish that many a second") {
  ServingQuestion question = asked("llama-3.1-70b", "hgx-h100");
  question.tensor = 4;
  const Deployment deployment = resolve(question, library()).value();
  const RequestLoad lengths{1000, 500, 0, 1};
  const RateLoad found = concurrency_for(deployment, lengths, 2.0);
  CHECK(found.share < 1);
  RequestLoad load = lengths;
  load.concurrency = found.concurrency;
  CHECK(evaluate(deployment, load).requests.value() == doctest::Approx(2.0).epsilon(1e-9));
  CHECK(concurrency_for(deployment, lengths, 1e6).share > 1);
}

TEST_CASE("without a link a layout over several chips is refused by name, also by its operations") {
  ServingQuestion question = asked("qwen3-next-80b-a3b", "rtx-5090-1");  // one card, no scale-up links
  question.scenario.weights = "fp8";
  question.attention_data = 8;
  const auto deployment = resolve(question, library());
  REQUIRE(deployment);
  CHECK(lacks_link(deployment->decode.operations, deployment->ground.numbers.peak));
  CHECK(!answer_serving(question, library()));
}

TEST_CASE("a request needs room for its end, however short it is on average") {
  // Llama 3.1 70B in fp8 on one H100 leaves 12,291 tokens of cache. A request that grows from 1 to 24,001 tokens holds
  // 12,001 on average, of which one would fit, but it ends with twice as many.
  ServingQuestion question = asked("llama-3.1-70b", "hgx-h100");
  question.scenario.weights = "fp8";
  question.tensor = 1;
  question.isl = 1;
  question.osl = 24000;
  question.concurrency = 1;
  const auto grown = answer_serving(question, library());
  REQUIRE(grown);
  REQUIRE(grown->shortfall);
  CHECK(grown->shortfall->memory.sequences.value() > 1);
  CHECK(grown->shortfall->memory.longest_held.value() == doctest::Approx(12291.0 / 24001).epsilon(1e-4));
  question.osl = 12000;
  CHECK(answer_serving(question, library())->answer);
}

TEST_CASE("every attention group needs room of its own") {
  // groups of one chip: eight halves of a request are no request
  ServingQuestion question = asked("deepseek-v3", "hgx-h200");
  question.attention_data = question.expert = 8;
  question.tensor = 1;
  question.concurrency = 8;
  question.isl = 1000;
  question.osl = 2;
  const auto little = answer_serving(question, library());
  REQUIRE(little->answer);
  const double tokens = little->answer->estimate.memory.cache_tokens.value();
  question.isl = 1.5 * tokens;
  const auto much = answer_serving(question, library());
  REQUIRE(much->shortfall);
  CHECK(much->shortfall->memory.sequences.value() > 1);  // over all groups
  CHECK(much->shortfall->memory.longest_held.value() < 1);
}

TEST_CASE("prefill on another machine: its chips, its price, and the slower of both links") {
  ServingQuestion question = asked("llama-3.1-70b", "hgx-h200");
  question.tensor = 8;
  question.disaggregated = true;
  question.concurrency = 32;
  question.isl = 4000;
  question.osl = 500;
  const Deployment same = resolve(question, library()).value();
  question.prefill_machine = "hgx-h100";
  const Deployment two = resolve(question, library()).value();
  REQUIRE(two.prefill_elsewhere);
  CHECK(two.prefill_ground().chip->name == "h100-sxm");
  CHECK(two.ground.chip->name == "h200-sxm");
  const RequestLoad load{4000, 500, 0, 32};
  const ServingEstimate one = evaluate(same, load), other = evaluate(two, load);
  // decode is the same chips under the same load
  CHECK(other.times.tpot.value() == one.times.tpot.value());
  CHECK(other.memory.sequences.value() == one.memory.sequences.value());
  // 80 GB hold fewer prompts than 141 GB
  CHECK(other.prefill_sequences.value() < one.prefill_sequences.value());
  // a prompt's cache lies on 8 chips on both sides, and moves over the slower link
  const double held = kv_cache_held(two.decode.operations, Tokens<double>(4000)).value();
  const ChipPaces<double> decode = two.ground.numbers.rates(), prefill = two.prefill_ground().numbers.rates();
  CHECK(other.transfer_time.value() ==
        doctest::Approx(held * std::max(decode.scale_out.value(), prefill.scale_out.value())));
  // dollars: each chip at its own price, over the output tokens
  const double prefill_chips = other.chips.value() - 8;
  const double bill = 8 * two.ground.numbers.price.value() + prefill_chips * two.prefill_ground().numbers.price.value();
  CHECK(other.cost.value() == doctest::Approx(bill / other.output_rate.value()));
  CHECK(two.bill(other.chips.value()) == doctest::Approx(bill));
  // money in is money out
  CHECK(4000 * other.input_cost.value() + 500 * other.output_cost.value() == doctest::Approx(500 * other.cost.value()));
}

TEST_CASE("the same machine named for prefill changes nothing, and what cannot be is refused") {
  ServingQuestion question = asked("llama-3.1-70b", "hgx-h100");
  question.tensor = 8;
  question.disaggregated = true;
  question.prefill_machine = "hgx-h100";
  CHECK(!resolve(question, library()).value().prefill_elsewhere);
  question.prefill_machine = "hgx-h1000";
  REQUIRE(!resolve(question, library()));
  CHECK(resolve(question, library()).error().front().where.starts_with("prefill_on"));
  question.prefill_machine = "hgx-h200";
  question.disaggregated = false;
  CHECK(!resolve(question, library()));
}

}  // namespace deployment_test
