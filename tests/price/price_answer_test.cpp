// Does a sheet cost what serving says its tokens cost, and do its prices move as they must?

#include "price/price_answer.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace price_answer_test {

using namespace ridge;
using doctest::Approx;

namespace {

PriceAnswer priced(const std::string& model, const std::string& machine, double margin, double utilisation) {
  PriceQuestion question;
  question.serving.scenario.model = model;
  question.serving.scenario.machine = machine;
  question.serving.scenario.given = {{"utilisation", utilisation, {"test", Kind::user, "", ""}}};
  question.serving.isl = 4000;
  question.serving.osl = 500;
  question.serving.concurrency = 48;
  question.margin = margin;
  const auto all = catalog::priors(catalog::embedded_facts());
  auto result = answer_price(question, *find_named(*all, "sheet"), testing::library());
  REQUIRE(result);
  REQUIRE(result->answer);
  return std::move(*result->answer);
}

}  // namespace

TEST_CASE("at the reference load a sheet's costs are those of serving") {
  for (const auto& [model, machine] : {std::pair{"llama-3.1-70b", "hgx-h100"}, std::pair{"deepseek-v3", "hgx-h200"},
                                       std::pair{"qwen3-32b", "hgx-h100"}, std::pair{"gpt-oss-120b", "hgx-b200"}}) {
    CAPTURE(model);
    const PriceAnswer all_used = priced(model, machine, 0.0, 1.0);
    CHECK(all_used.estimate.input_cost.value() == Approx(all_used.serving.input_cost).epsilon(1e-9));
    CHECK(all_used.estimate.output_cost.value() == Approx(all_used.serving.output_cost).epsilon(1e-9));
    CHECK(all_used.estimate.input == all_used.estimate.input_cost);  // no margin
    const PriceAnswer half = priced(model, machine, 0.5, 0.5);
    CHECK(half.sheet.output.value() == Approx(4 * all_used.sheet.output.value()).epsilon(1e-9));
    CHECK(half.sheet.input.value() == Approx(4 * all_used.sheet.input.value()).epsilon(1e-9));
  }
}

TEST_CASE("a sheet is in the order that costs have") {
  const PriceAnswer one = priced("llama-3.1-70b", "hgx-h100", 0.6, 0.6);
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
  for (std::size_t i = 1; i < one.curve.size(); ++i) {  // ever more sequences: slower and never dearer
    CHECK(one.curve[i].speed <= one.curve[i - 1].speed * (1 + 1e-12));
    CHECK(one.curve[i].price <= one.curve[i - 1].price * (1 + 1e-12));
  }
}

}  // namespace price_answer_test
