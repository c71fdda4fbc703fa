// Do revenue, margin, break-even, a published day, an owned chip's hour and the split of a step come out as by hand?

#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "base/number/interval.hpp"
#include "catalog/entries/numbers_entry.hpp"
#include "catalog/prices/price_file.hpp"
#include "catalog_library.hpp"
#include "price/money/chip_cost.hpp"
#include "price/money/day.hpp"
#include "price/money/host.hpp"
#include "price/sheet/history.hpp"
#include "price/sheet/model_class.hpp"
#include "serve/serving.hpp"

namespace money_flows_test {

using namespace ridge;
using doctest::Approx;
using ridge::testing::library;

namespace {

constexpr double kMillion = 1e6, kHour = 3600;

const std::vector<PriceSheet>& shipped() {
  static const std::vector<PriceSheet> sheets = catalog::price_sheets(catalog::embedded_price_facts()).value();
  return sheets;
}

ServingDay deepseek_day() {
  const auto days = catalog::numbers_entries(catalog::embedded_facts(), "day").value();
  return serving_day(*find_named(days, "deepseek-2025-02"), shipped()).value();
}

PriceSheet dated(const char* model, const char* date, double input, double output) {
  PriceSheet sheet;
  sheet.provider = "acme";
  sheet.model = model;
  sheet.date = date;
  sheet.input = DollarsPerToken<double>(input / kMillion);
  sheet.output = DollarsPerToken<double>(output / kMillion);
  return sheet;
}

/// The fewest chips, at the cheapest load within the usual SLO.
struct Hosted {
  ServingQuestion serving;
  std::optional<double> tokens_per_day;
  TpotSlo slo;
};

Hosted llama_on_h100() {
  Hosted question;
  question.serving.scenario.model = "llama-3.3-70b";
  question.serving.scenario.machine = "hgx-h100";
  question.serving.scenario.weights = "fp8";
  return question;
}

HostAnswer hosted(const Hosted& asked) {
  const HostQuestion question{deployed(asked.serving, asked.slo, library()).value(), asked.tokens_per_day, {}};
  return answer_host(question, sheets_of_weights(shipped(), "llama-3.3-70b"), library()).value().answer.value();
}

}  // namespace

TEST_CASE("DeepSeek's day: $87,072, $562,027 and 545 % within a tenth of a percent") {
  const ServingDay day = deepseek_day();
  // 226.75 nodes x 8 chips x 24 h x $2 = $87,072, exactly
  CHECK(day.cost.value() == Approx(87072).epsilon(1e-12));
  // 266G x $0.55 + 342G x $0.14 + 168G x $2.19, each for a million: 146,300 + 47,880 + 367,920 = 562,100
  CHECK(day.revenue.total().value() == Approx(562100).epsilon(1e-9));
  CHECK(std::fabs(day.revenue.total().value() / 562027 - 1) < 1e-3);
  // 562,027 / 87,072 - 1 = 5.4547, which they round to 545 %
  CHECK(std::fabs(day.markup.value() / (562027.0 / 87072 - 1) - 1) < 1e-3);
  CHECK(std::floor(100 * (day.published.revenue / day.published.cost).value() - 100) == 545);
  CHECK(day.markup.value() == Approx(5.45558).epsilon(1e-5));
  // at the share of hits that there was, the curve goes through the day; a hit brings less than a computed token
  CHECK(markup_at(day, 342.0 / 608).value() == Approx(day.markup.value()));
  CHECK(markup_at(day, 0.9) < day.markup);
}

TEST_CASE("a day that cannot be is refused") {
  auto days = catalog::numbers_entries(catalog::embedded_facts(), "day").value();
  NumbersEntry day = days.front();
  day.numbers["cached"].value.value = 1e15;
  CHECK(!serving_day(day, shipped()));
  day = days.front();
  day.numbers["rental"].value.dimension = kDollar;
  day.words["sheet"] = "nobody/nothing";
  const auto bad = serving_day(day, shipped());
  REQUIRE(!bad);
  CHECK(bad.error().size() == 2);
}

TEST_CASE("markup and margin are two names of one profit") {
  const Dollars<double> revenue(150.0), cost(100.0);
  CHECK(markup(revenue, cost).value() == Approx(0.5));
  CHECK(margin(revenue, cost).value() == Approx(1.0 / 3));
  // over an interval of costs: more expensive chips, smaller margin
  const auto range = margin(Dollars<Interval>(Interval{150, 150}), Dollars<Interval>(Interval{100, 120}));
  CHECK(range.value().low == Approx(0.2));
  CHECK(range.value().high == Approx(1.0 / 3));
}

TEST_CASE("a fixed bill equals a price by the token at bill over price") {
  // $10 an hour against $2/Mtok: 5 million tokens an hour; of 20 million that the chips could, a quarter
  const auto even = break_even(DollarsPerSecond<double>(10 / kHour), DollarsPerToken<double>(2 / kMillion),
                               TokensPerSecond<double>(20 * kMillion / kHour));
  CHECK(even.rate.value() * kHour == Approx(5 * kMillion));
  CHECK(even.utilization.value() == Approx(0.25));
}

TEST_CASE("a request pays the prices of the tier its input falls into") {
  PriceSheet sheet = dated("m", "2026", 2, 12);
  sheet.cached = DollarsPerToken<double>(0.2 / kMillion);
  sheet.tiers = {{Tokens<double>(200e3), sheet.input * 2.0, sheet.output * 1.5, {}, {}}};
  CHECK(prices_at(sheet, Tokens<double>(200e3)).output == sheet.output);
  CHECK(prices_at(sheet, Tokens<double>(200001)).output.value() == Approx(18 / kMillion));
  CHECK(prices_at(sheet, Tokens<double>(200001)).cached.value() == Approx(4 / kMillion));  // none given there
}

TEST_CASE("an owned chip's hour takes what is given over the catalog's, and splits off memory") {
  CostQuestion question;
  question.machine = "hgx-h100";
  question.memory_utilization = 0.5;
  const ChipCost usual = chip_cost(question, library()).value();
  // half of $0.88410 + $0.14146 (money_test.cpp has those)
  CHECK(usual.memory.memory.value() * kHour == Approx(0.512777).epsilon(1e-5));
  CHECK((usual.memory.memory + usual.memory.rest + usual.owned.energy).value() == Approx(usual.owned.total().value()));
  // $31,000 over $1.30 - $0.1384 an hour = 26,687 h
  CHECK(usual.payback->value() / kHour == Approx(26687).epsilon(1e-4));
  question.changes.capex = Dollars<double>(62000);
  const ChipCost dear = chip_cost(question, library()).value();
  CHECK(dear.owned.depreciation.value() == Approx(2 * usual.owned.depreciation.value()));
  CHECK(dear.owned.energy == usual.owned.energy);
  question.utilization = 0;
  question.changes.life = Seconds<double>(-1);
  const auto wrong = chip_cost(question, library());
  REQUIRE(!wrong);
  CHECK(wrong.error().size() == 2);
  question = {};
  question.machine = "hgx-h10";
  CHECK(chip_cost(question, library()).error().front().hint.find("hgx-h100") != std::string::npos);
}

TEST_CASE("the parts of a step add up to it, and the bound is shared by what each would take") {
  // compute 2 ms, weights 3, context 1: the bound is 4 ms of memory, shared 2:3:1 over 6
  const auto ms = [](double value) { return Seconds<double>(value * 1e-3); };
  const StepCosts<double> parts = step_costs(StepUse<double>{ms(2), ms(3), ms(1), ms(5), ms(8), ms(1)});
  CHECK(parts.weights.value() == Approx(2e-3));
  CHECK(parts.compute.value() == Approx(4e-3 / 3));
  CHECK(parts.below_peak.value() == Approx(1e-3));  // 5 ms of kernels
  CHECK(parts.network.value() == Approx(2e-3));     // 8 - 1 - 5
  CHECK(parts.total().value() == Approx(8e-3));
}

TEST_CASE("what a prompt takes, part by part") {
  // Llama-3.1-8B on one H100: 32 layers of 32 heads of 128, 8 of them for the cache; 6.98G parameters that are no
  // embedding and no head. 4,096 tokens: 2 x 6.98G x 4096 = 57.2 TFLOP, and 4 x 32 x 32 x 128 x 4096^2 / 2 = 4.4 TFLOP
  // of attention; over 989 TFLOP/s 62.2 ms.
  ServingQuestion question;
  question.scenario.model = "llama-3.1-8b";
  question.scenario.machine = "hgx-h100";
  question.scenario.weights = "bf16";
  question.scenario.kv = "bf16";
  question.tensor = 1;
  question.isl = 4096;
  question.osl = 400;
  question.concurrency = 32;
  const ServingAnswer beside = answer_serving(question, library())->answer.value();
  const PrefillParts parts = beside.estimate.prefill;
  CHECK(parts.compute.value() == Approx(62.2e-3).epsilon(0.01));
  CHECK(parts.weights.value() == 0);  // read anyway, by those that decode
  CHECK(parts.kv.value() == 0);       // nothing of it is cached
  CHECK(parts.total.value() == Approx(beside.estimate.times.prefill_time.value()).epsilon(1e-12));
  CHECK(parts.kernels > parts.compute);
  // all but a token cached: 4,095 x 2 x 32 x 8 x 128 x 2 B = 537 MB, over 3.35 TB/s 160 us
  question.cached = 1 - 1.0 / 4096;
  const ServingAnswer cached = answer_serving(question, library())->answer.value();
  const PrefillParts kept = cached.estimate.prefill;
  CHECK(kept.kv.value() == Approx(160e-6).epsilon(0.01));
  CHECK(kept.total.value() == Approx(cached.estimate.times.prefill_time.value()).epsilon(1e-9));
  // on chips of their own: 15.0 GB of weights are read as well, 4.48 ms, and a fifth of the time is waiting
  question.cached = 0;
  question.disaggregated = true;
  const ServingAnswer apart = answer_serving(question, library())->answer.value();
  const PrefillParts alone = apart.estimate.prefill;
  CHECK(alone.weights.value() == Approx(4.48e-3).epsilon(0.01));
  CHECK(alone.compute.value() == Approx(62.2e-3).epsilon(0.01));
  CHECK(alone.total.value() == Approx(apart.estimate.times.prefill_time.value()).epsilon(1e-12));
  CHECK(alone.idle.value() == Approx(0.25 * alone.total.value()));
  CHECK(alone.engine.value() > 0);
}

TEST_CASE("hosting a model: the bill, the tokens and the margins belong together") {
  Hosted question = llama_on_h100();
  question.tokens_per_day = 2e9;
  const HostAnswer answer = hosted(question);
  const ServingAnswer& serving = answer.serving;
  CHECK(serving.estimate.times.tpot <= question.slo.tpot);
  // one way: the whole bill over all tokens; another: the cost of each kind, by how many there are of it
  const double mixed = (answer.request.fresh * answer.fresh + answer.request.output * answer.output).value() /
                       answer.request.total().value();
  CHECK(answer.mixed.value() == Approx(mixed).epsilon(1e-9));
  CHECK(answer.cached->value() > 0);
  CHECK(*answer.cached < answer.fresh);
  CHECK(answer.fresh < answer.output);
  CHECK(answer.step.total().value() == Approx(serving.estimate.times.decode_step.value()));
  for (const Seconds<double>& part : {answer.step.weights, answer.step.context, answer.step.compute,
                                      answer.step.network, answer.step.below_peak, answer.step.engine})
    CHECK(part.value() > 0);
  REQUIRE(answer.hosts.size() > 5);
  for (const HostRow& row : answer.hosts) {
    // at the break-even rate the bill is what the tokens are sold for; busy to 1 - margin
    CHECK((row.even.rate * row.price).value() == Approx(answer.bill.value()));
    CHECK(row.even.utilization.value() == Approx(1 - row.margin.value()));
    CHECK(row.price >= answer.hosts.front().price);
  }
  // 2G a day over what one serves, rounded up
  CHECK(answer.replicas == std::ceil(2e9 / (answer.capacity.value() * 86400)));
  CHECK(answer.replicas * answer.utilization * answer.capacity.value() * 86400 == Approx(2e9));
  // what is paid for an output token at the demand: all chips busy, and idle ones on top
  CHECK((answer.output + answer.idle(answer.output)).value() == Approx(answer.output.value() / answer.utilization));
  CHECK(answer.margins.front().margins.front() == Approx(answer.hosts.front().margin.value()));
  for (std::size_t i = 1; i < answer.margins.size(); ++i) CHECK(answer.margins[i].cost < answer.margins[i - 1].cost);
}

TEST_CASE("more expensive chips cost more by the token and break even later") {
  Hosted question = llama_on_h100();
  const HostAnswer usual = hosted(question);
  question.serving.scenario.price_basis = PriceBasis::owned;
  const HostAnswer owned = hosted(question);
  CHECK(owned.mixed < usual.mixed);  // $1.16 against $1.30 an hour
  CHECK(owned.hosts.front().even.rate < usual.hosts.front().even.rate);
  CHECK(owned.step.weights == usual.step.weights);
  CHECK(!answer_host({deployed(question.serving, {}, library()).value(), -1, {}}, {}, library()));
}

TEST_CASE("a class is what of a name is no version, date or state of release") {
  const auto gemini = [](const char* model) { return class_of(model, {"gemini"}); };
  CHECK(gemini("gemini-2.5-flash-lite-preview-06-17") == "flash-lite");
  CHECK(gemini("gemini-1.5-pro-002") == "pro");
  CHECK(gemini("gemini-exp-1206") == "");
  CHECK(class_of("claude-3-5-sonnet-20241022", {"claude"}) == class_of("claude-sonnet-4-5", {"claude"}));
  CHECK(class_of("claude-opus-4", {"claude", "opus"}) == "");
  CHECK(class_of("gpt-4o-mini-2024-07-18", {"gpt"}) == "mini");
  CHECK(class_of("gpt-3.5-turbo-16k", {"gpt"}) == "turbo-16k");
  CHECK(class_of("meta-llama/Llama-3.3-70B-Instruct-Turbo", {"llama"}) == "70b-turbo");
  CHECK(class_of("deepseek-r1", {"deepseek"}) == "r");
  CHECK(class_of("deepseek-v3.2", {"deepseek"}) == class_of("deepseek-chat", {"deepseek"}));
}

TEST_CASE("a family's history compares a class with itself") {
  // both classes halve in a year; the small one begins when the large one ends
  const std::vector<PriceSheet> sheets = {
      dated("big-0", "2023-01-01", 16, 64), dated("big-1", "2024-01-01", 8, 32), dated("big-2", "2025-01-01", 4, 16),
      dated("big-2-mini", "2025-01-01", 0.4, 1.6), dated("big-3-mini", "2026-01-01", 0.2, 0.8)};
  const PriceHistory history = price_history(sheets, "big", "FAMILY").value();
  REQUIRE(history.changes.size() == 5);
  CHECK(history.changes[1].input == Approx(0.5));
  CHECK(history.changes[1].than == &sheets[0]);
  CHECK(history.changes[3].kind == "mini");
  CHECK(history.changes[3].than == nullptr);  // not a tenth of the large one
  CHECK(!history.changes[3].input);
  CHECK(history.changes[4].than == &sheets[3]);
  CHECK(history.changes[4].input == Approx(0.5));
  CHECK(*history.input->halving == Approx(1).epsilon(1e-9));  // one line through all five falls faster
}

TEST_CASE("a family's history has every change with its factor, and a trend") {
  std::vector<PriceSheet> sheets = {
      dated("big-1", "2023-01-01", 32, 64),         dated("big-1", "2024-01-01", 16, 32),
      dated("big-1", "2025-01-01", 8, 32),          dated("big-2", "2026-01-01", 4, 16),
      dated("big-2-20260101", "2026-01-01", 4, 16), dated("small-1", "2024-06-01", 1, 2),
      dated("big-1", "2026-01-01", 8, 32),          dated("big-3", "2026-05-01", 100, 100)};
  sheets.back().since_known = false;
  PriceSheet elsewhere = dated("big-1", "2024-02-01", 1, 1);
  elsewhere.provider = "host";
  elsewhere.hosted = true;
  sheets.push_back(elsewhere);
  const PriceHistory history = price_history(sheets, "big", "FAMILY").value();
  REQUIRE(history.changes.size() == 4);  // the unchanged sheet, the other family and the host are none
  CHECK(history.undated == 1);
  CHECK(history.changes[2].input.value() == Approx(0.5));
  CHECK(!history.changes[2].is_new);
  CHECK(history.changes[3].is_new);
  CHECK(history.changes[3].names.size() == 2);  // one model under two names
  CHECK(history.changes[3].output == Approx(0.5));
  // input halves each year: three changes in three years are a rate; output changed twice, which is none
  CHECK(*history.input->halving == Approx(1).epsilon(1e-9));
  CHECK(!history.input->doubling);
  CHECK(!history.output);
  CHECK(history.output_moves.factors == std::vector<double>{0.5, 0.5});
  CHECK(price_history(sheets, "host/big", "FAMILY")->hosted);
  CHECK(!price_history(sheets, "host/big", "FAMILY")->input);  // one date is no trend
  const auto unknown = price_history(sheets, "bgi", "FAMILY");
  REQUIRE(!unknown);
  CHECK(unknown.error().front().hint.find("big") != std::string::npos);
}

TEST_CASE("changes of several models on one day are one change, and make no rate") {
  std::vector<PriceSheet> sheets;
  for (const char* model : {"big-mini", "big-pro", "big-max"}) {
    sheets.push_back(dated(model, "2024-01-01", 8, 32));
    sheets.push_back(dated(model, "2025-06-01", 4, 16));
  }
  const PriceHistory history = price_history(sheets, "big", "FAMILY").value();
  CHECK(history.input_moves.sheets.size() == 3);
  CHECK_FALSE(history.input);
}

TEST_CASE("a year or a month alone is its middle") {
  CHECK(years_of("2026") == Approx(26.5));
  CHECK(years_of("2026-01") == Approx(26 + 0.5 / 12));
  CHECK(years_of("2026-07-01") == Approx(26.5));
}

TEST_CASE("Claude Opus fell to a third at once, which is no rate") {
  const PriceHistory history = price_history(shipped(), "claude-opus", "FAMILY").value();
  const PriceSheet &first = *history.changes.front().sheet, &last = *history.changes.back().sheet;
  CHECK((last.output / first.output).value() == Approx(1.0 / 3));
  CHECK_FALSE(history.input);
  CHECK_FALSE(history.output);
  REQUIRE(history.output_moves.sheets.size() == 1);
  CHECK(history.output_moves.factors.front() == Approx(1.0 / 3));
  CHECK(history.output_moves.sheets.front()->date == "2025-12-31");
}

}  // namespace money_flows_test
