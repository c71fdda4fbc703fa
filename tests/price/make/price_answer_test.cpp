// Does a sheet cost what serving says its tokens cost, and do its prices move as they must?

#include "price/make/price_answer.hpp"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "price/deployed_as_asked.hpp"
#include "price/money/day.hpp"

namespace price_answer_test {

using namespace ridge;
using doctest::Approx;

namespace {

PriceAnswer priced(const std::string& model, const std::string& machine, double margin, double utilization,
                   const std::vector<DemandBand>& demand = {}) {
  PriceQuestion question;
  question.serving.scenario.model = model;
  question.serving.scenario.machine = machine;
  question.serving.scenario.given = {{"utilization", utilization, {"test", Kind::user, "", ""}}};
  question.serving.isl = 4000;
  question.serving.osl = 500;
  question.serving.concurrency = 48;
  question.prompt_given = question.answer_given = true;
  question.margin = margin;
  question.demand = demand;
  if (!demand.empty()) question.prompt_given = false;
  const auto all = catalog::priors(catalog::embedded_facts());
  auto result = testing::price_as_asked(question, *find_named(*all, "sheet"), testing::library());
  REQUIRE(result);
  REQUIRE(result->answer);
  return std::move(*result->answer);
}

const std::vector<DemandBand> kOneLength = {{Tokens<double>(4000.0), 1.0}};

/// The serving engine itself, on the layout of a sheet.
ServingAnswer served(const PriceAnswer& sheet, double isl, double concurrency) {
  const Layout& layout = sheet.serving.layout();
  ServingQuestion question = sheet.serving.question;
  question.tensor = layout.tensor;
  question.pipeline = layout.pipeline;
  question.context = layout.context;
  question.attention_data = layout.attention_data;
  question.expert = layout.expert;
  question.replicas = layout.replicas;
  question.isl = isl;
  question.concurrency = concurrency;
  std::erase_if(question.scenario.given, [](const GivenInput& one) { return one.key == "utilization"; });
  auto result = answer_serving(question, testing::library());
  REQUIRE(result);
  REQUIRE(result->answer);
  return std::move(*result->answer);
}

}  // namespace

TEST_CASE("where all prompts are of one length a sheet's costs are those of serving") {
  for (const auto& [model, machine] : {std::pair{"llama-3.1-70b", "hgx-h100"}, std::pair{"deepseek-v3", "hgx-h200"},
                                       std::pair{"qwen3-32b", "hgx-h100"}, std::pair{"gpt-oss-120b", "hgx-b200"}}) {
    CAPTURE(model);
    const PriceAnswer all_used = priced(model, machine, 0.0, 1.0, kOneLength);
    CHECK(all_used.serving.question.isl == Approx(4000));
    CHECK(all_used.estimate.input_cost.value() == Approx(all_used.serving.estimate.input_cost.value()).epsilon(1e-9));
    CHECK(all_used.estimate.output_cost.value() == Approx(all_used.serving.estimate.output_cost.value()).epsilon(1e-9));
    CHECK(all_used.estimate.input == all_used.estimate.input_cost);  // no margin
    CHECK(all_used.sheet.tiers.empty());
    const PriceAnswer half = priced(model, machine, 0.5, 0.5, kOneLength);
    CHECK(half.sheet.output.value() == Approx(4 * all_used.sheet.output.value()).epsilon(1e-9));
    CHECK(half.sheet.input.value() == Approx(4 * all_used.sheet.input.value()).epsilon(1e-9));
  }
}

TEST_CASE("tiers and modes cost what serving says of those lengths and loads") {
  // two lengths, so that the step parts them and each side has one cost; latent attention among the models
  for (const auto& [model, machine] :
       {std::pair{"llama-3.1-70b", "hgx-h100"}, std::pair{"deepseek-v3", "gb200-nvl72"}}) {
    CAPTURE(model);
    const PriceAnswer one =
        priced(model, machine, 0.0, 1.0, {{Tokens<double>(4000.0), 0.5}, {Tokens<double>(90e3), 0.5}});
    REQUIRE(one.sheet.tiers.size() == 1);
    const double in_flight = one.serving.load.concurrency * one.serving.layout().replicas;
    const ServingAnswer longer = served(one, 90e3, in_flight);
    CHECK(one.sheet.tiers[0].above.value() == 20000);  // the roundest number about sqrt(4,000 x 90,000) = 18,974
    CHECK(one.sheet.input.value() == Approx(one.serving.estimate.input_cost.value()).epsilon(1e-9));
    CHECK(one.sheet.output.value() == Approx(one.serving.estimate.output_cost.value()).epsilon(1e-9));
    CHECK(one.sheet.tiers[0].input.value() == Approx(longer.estimate.input_cost.value()).epsilon(1e-9));
    CHECK(one.sheet.tiers[0].output.value() == Approx(longer.estimate.output_cost.value()).epsilon(1e-9));
    REQUIRE(one.fast);
    CHECK(one.fast->speed == Approx(one.fast_asked).epsilon(1e-6));
    const ServingAnswer fast = served(one, 4000, one.fast->concurrency * one.serving.layout().replicas);
    CHECK(fast.estimate.user_rate.value() ==
          Approx(one.fast_asked * one.serving.estimate.user_rate.value()).epsilon(1e-6));
    CHECK(one.estimate.fast_output.value() == Approx(fast.estimate.output_cost.value()).epsilon(1e-9));
    const ServingAnswer alone = served(one, 4000, one.serving.layout().replicas);
    CHECK(one.fastest.user_rate == Approx(alone.estimate.user_rate.value()).epsilon(1.1e-3));
    CHECK(one.fastest.output <=
          alone.estimate.output_cost.value() / one.serving.estimate.output_cost.value() * (1 + 1e-9));
    for (const LoadPoint& point : one.curve) CHECK(point.user_rate <= alone.estimate.user_rate.value() * (1 + 1e-9));
  }
}

TEST_CASE("a sheet without margin brings in what serving all its requests costs") {
  std::mt19937_64 random(94);
  const auto log_uniform = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
  };
  for (const auto& [model, machine] : {std::pair{"llama-3.1-70b", "hgx-h100"}, std::pair{"gpt-oss-120b", "hgx-b200"}}) {
    CAPTURE(model);
    const double share = log_uniform(0.2, 0.8);
    const std::vector<DemandBand> demand = {{Tokens<double>(std::round(log_uniform(200, 4000))), share / 2},
                                            {Tokens<double>(std::round(log_uniform(5000, 20e3))), share / 2},
                                            {Tokens<double>(std::round(log_uniform(30e3, 100e3))), 1 - share}};
    const PriceAnswer one = priced(model, machine, 0.0, 1.0, demand);
    const double in_flight = one.serving.load.concurrency * one.serving.layout().replicas;
    double cost = 0, revenue = 0, at_one_price = 0;
    for (const DemandBand& band : demand) {
      const double length = band.length.value(), requests = band.share / length, answer = 500;
      const ServingAnswer own = served(one, length, in_flight);
      const TokenPrices<double> prices = prices_at(one.sheet, band.length);
      cost += requests * (length * own.estimate.input_cost.value() + answer * own.estimate.output_cost.value());
      revenue += requests * (length * prices.fresh.value() + answer * prices.output.value());
      at_one_price += requests * (length * one.sheet.input.value() + answer * one.sheet.output.value());
    }
    CHECK(revenue == Approx(cost).epsilon(1e-9));
    REQUIRE(one.step);
    if (one.step_written) CHECK(at_one_price < cost);  // the usual prices alone would not pay for the long requests
    CHECK(one.step->below.tokens + one.step->over.tokens == Approx(1.0));
    CHECK(one.step->below.requests + one.step->over.requests == Approx(1.0));
  }
}

TEST_CASE("a sheet is in the order that costs have") {
  const std::vector<DemandBand> many = lognormal_demand(Tokens<double>(4000.0), 1.2, Tokens<double>(130000.0));
  const PriceAnswer one = priced("llama-3.1-70b", "hgx-h100", 0.6, 0.6, many);
  const PriceSheet& sheet = one.sheet;
  REQUIRE(sheet.cached);
  CHECK(*sheet.cached < sheet.input);
  CHECK(sheet.input < sheet.output);
  REQUIRE(sheet.writes.size() == 2);
  CHECK(sheet.input < sheet.writes[0].price);
  CHECK(sheet.writes[0].price < sheet.writes[1].price);
  REQUIRE(sheet.tiers.size() == 1);
  CHECK(sheet.tiers[0].output > sheet.output);
  for (const SpeedMode& mode : sheet.modes) {
    if (mode.name == "batch") CHECK(mode.output < sheet.output);
    if (mode.name == "fast") CHECK(mode.output > sheet.output);
  }
  for (std::size_t i = 1; i < one.curve.size(); ++i)  // ever more sequences: never faster
    CHECK(one.curve[i].speed <= one.curve[i - 1].speed * (1 + 1e-9));
}

TEST_CASE("a length that is given is the length that is priced") {
  const PriceAnswer one = priced("llama-3.1-70b", "hgx-h100", 0.0, 1.0);
  CHECK(one.serving.load.isl == 4000);
  CHECK(one.sheet.tiers.empty());
  CHECK(one.estimate.output_cost.value() == Approx(served(one, 4000, 48).estimate.output_cost.value()).epsilon(1e-9));
}

TEST_CASE("more utilization never makes a batch more expensive, nor waiting dearer than not") {
  for (const char* model : {"llama-3.1-70b", "llama-3.1-8b", "qwen3-32b"}) {
    CAPTURE(model);
    double before = 1e300;
    for (const double utilization : {0.5, 0.8, 0.85, 0.89, 0.9, 0.95, 1.0}) {
      CAPTURE(utilization);
      const PriceAnswer one = priced(model, "hgx-h100", 0.3, utilization);
      const auto batch = std::find_if(one.sheet.modes.begin(), one.sheet.modes.end(),
                                      [](const SpeedMode& mode) { return mode.name == "batch"; });
      REQUIRE(batch != one.sheet.modes.end());
      CHECK(batch->input.value() <= one.sheet.input.value() * (1 + 1e-12));
      CHECK(batch->output.value() <= one.sheet.output.value() * (1 + 1e-12));
      CHECK(batch->output.value() <= before * (1 + 1e-12));
      before = batch->output.value();
    }
  }
}

}  // namespace price_answer_test
