#include "price/money/host.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/unit_text.hpp"
#include "price/make/computed_input.hpp"
#include "price/money/chip_cost.hpp"
#include "price/money/day.hpp"
#include "price/sheet/sheet_list.hpp"
#include "serve/question/serving_inputs.hpp"
#include "serve/slo/bought_replica.hpp"

namespace ridge {

namespace {

constexpr double kDay = 86400;

TokenMix<double> request_of(const ServingQuestion& question) {
  return {.fresh = Tokens<double>(question.isl * (1 - question.cached)),
          .cached = Tokens<double>(question.isl * question.cached),
          .output = Tokens<double>(question.osl)};
}

/// What a mix brings at a sheet's prices, for a token.
DollarsPerToken<double> sold(const PriceSheet& sheet, const TokenMix<double>& mix) {
  return revenue(mix, prices_at(sheet, mix.fresh + mix.cached)).total() / mix.total();
}

/// The same load with another share of the prompts cached; none where it has no room.
std::optional<ServingEstimate> with_cached(const ServingAnswer& serving, double share) {
  RequestLoad load = serving.load;
  load.cached = share;
  ServingEstimate estimate = evaluate(serving.deployment, load);
  if (!fits(serving.deployment, estimate)) return std::nullopt;
  return estimate;
}

/// Costs of tokens on chips that are all busy, and where each goes.
struct HostCosts {
  DollarsPerToken<double> fresh{}, output{}, mixed{};
  std::optional<DollarsPerToken<double>> cached;
  std::optional<StepCosts<double>> fresh_prefill, cached_prefill;
  std::optional<ComputedInput> computed;
  StepCosts<double> step;
};

/// Computed input from the same load without a cache, cached input from requests of which all but one token is
/// cached. Not the difference of two mixes: prompts are cheaper by the token the fewer there are beside a step.
HostCosts host_costs(const ServingAnswer& serving) {
  HostCosts out;
  out.output = serving.estimate.output_cost;
  out.fresh = serving.estimate.input_cost;
  out.mixed = serving.estimate.cost_of_all;
  out.step = decode_costs(serving.estimate);
  if ((out.computed = computed_input(serving.deployment, serving.load))) {
    out.fresh = out.computed->cost;
    out.fresh_prefill = out.computed->parts;
  }
  if (const auto within = with_cached(serving, 1 - 1 / std::max(2.0, serving.load.isl))) {
    out.cached = within->input_cost;
    out.cached_prefill = prefill_costs(*within);
  }
  return out;
}

/// Tokens of a day at a rate of requests.
double tokens_per_day(const ServingAnswer& serving, double rate) {
  return rate * (serving.load.isl + serving.load.osl) * kDay;
}

/// How a replica is bought and what it serves, and what is kept beside it: the fleet's own, where there is one.
BoughtFleet bought_for(const HostQuestion& question, const ServingAnswer& serving) {
  if (question.fleet) return *question.fleet;
  BoughtFleet out{{}, {}, bought_replica(serving)};
  if (!question.tokens_per_day) return out;
  out.aim.rate = *question.tokens_per_day / tokens_per_day(serving, 1);
  out.size = fleet_of(out.aim, out.each.sold, out.each.replica);
  return out;
}

std::vector<HostRow> host_rows(const HostAnswer& answer, const std::vector<const PriceSheet*>& sheets) {
  std::vector<HostRow> rows;
  const Tokens<double> all = answer.request.total();
  for (const PriceSheet* sheet : sheets) {
    HostRow row;
    row.sheet = sheet;
    row.price = sold(*sheet, answer.request);
    row.even = break_even(answer.bill, row.price, answer.capacity);
    row.whole = nodes_even(answer.question, answer.serving, row.price);
    row.margin = margin(row.price * all, answer.mixed * all);
    if (answer.question.tokens_per_day) row.per_day = row.price.value() * *answer.question.tokens_per_day;
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const HostRow& a, const HostRow& b) { return a.price < b.price; });
  return rows;
}

/// Margins of those who sell, by the share of prompts that a cache holds.
std::vector<MarginPoint> margins_by_hits(const ServingAnswer& serving, const std::vector<HostRow>& hosts) {
  constexpr int kSteps = 19;
  std::vector<MarginPoint> points;
  for (int i = 0; i <= kSteps; ++i) {
    const double hit = i * 0.05;
    const auto tried = with_cached(serving, hit);
    if (!tried) continue;
    ServingQuestion question = serving.question;
    question.cached = hit;
    const TokenMix<double> mix = request_of(question);
    const Tokens<double> all = mix.total();
    MarginPoint point{hit, tried->cost_of_all, {}};
    for (const HostRow& host : hosts)
      point.margins.push_back(margin(sold(*host.sheet, mix) * all, point.cost * all).value());
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

// A fleet's bill is a stair over the demand, and buying a line through zero: from one stair to the next, the first that the
// line crosses. With more nodes a stair is the same height over a longer way, so that some thousand of them are all.
std::optional<NodesEven> nodes_even(const HostQuestion& question, const ServingAnswer& serving,
                                    const DollarsPerToken<double>& price) {
  constexpr int kMostStairs = 4096;
  const BoughtFleet fleet_bought = bought_for(question, serving);
  const BoughtReplica& bought = fleet_bought.each;
  if (!(price.value() > 0)) return {};
  double served = 0;  // requests a second, by the stair before
  for (int stair = 0; stair < kMostStairs; ++stair) {
    constexpr double kMore = 1 + 1e-6;
    const double next = std::max(served * kMore, bought.replica.rate * 1e-6);
    FleetAim aim = fleet_bought.aim;
    aim.rate = next;
    const FleetSize fleet = fleet_of(aim, bought.sold, bought.replica);
    const double even = fleet.bill * kDay / price.value(),
                 most = tokens_per_day(serving, fleet.rate / (1 + aim.headroom));
    const double from = std::max(even, tokens_per_day(serving, served));
    if (from <= most) return NodesEven{from, fleet.all_nodes(), from / most};
    served = fleet.rate / (1 + aim.headroom);
  }
  return {};
}

Result<ServingResult> hosted(const Deployed& deployed, const Library& library) {
  if (const auto free = free_chip(deployed.deployment.ground.numbers.price)) return fail(*free);
  return answer_at(deployed.question, fully_utilized(deployed.deployment), deployed.load, library);
}

Result<HostResult> answer_host(const HostQuestion& question, const std::vector<const PriceSheet*>& sheets,
                               const Library& library) {
  if (question.tokens_per_day && !(*question.tokens_per_day > 0))
    return fail({"tokens_per_day", fmt::format("{:g} tokens", *question.tokens_per_day), "above 0"});
  auto served = hosted(question.deployed, library);
  if (!served) return fail(served.error());
  if (!served->answer) return HostResult{{}, std::move(served->shortfall)};
  HostAnswer answer;
  answer.question = question;
  answer.serving = std::move(*served->answer);
  const ServingGround& ground = answer.serving.ground();
  const HostCosts costs = host_costs(answer.serving);
  answer.price_from = ground.from[serving_input_index("price")];
  answer.request = request_of(answer.serving.question);
  answer.output = costs.output;
  answer.fresh = costs.fresh;
  answer.cached = costs.cached;
  answer.mixed = costs.mixed;
  answer.step = costs.step;
  answer.fresh_prefill = costs.fresh_prefill;
  answer.computed = costs.computed;
  answer.cached_prefill = costs.cached_prefill;
  answer.bill = DollarsPerSecond<double>(answer.serving.deployment.bill(answer.serving.estimate.chips.value()));
  answer.capacity = answer.serving.estimate.total_rate;
  if (question.tokens_per_day) {
    const FleetSize fleet = bought_for(question, answer.serving).size;
    answer.replicas = fleet.replicas;
    answer.nodes = fleet.all_nodes();
    answer.per_day = fleet.bill * kDay;
    answer.utilization = answer.mixed.value() * *question.tokens_per_day / answer.per_day;
  }
  answer.hosts = host_rows(answer, sheets);
  answer.margins = margins_by_hits(answer.serving, answer.hosts);
  answer.notes = answer.serving.notes;
  if (answer.utilization > 1) answer.notes.push_back(busier_prefill_note());
  return HostResult{std::move(answer), {}};
}

std::vector<const PriceSheet*> sheets_of_weights(const std::vector<PriceSheet>& sheets, std::string_view model) {
  std::vector<const PriceSheet*> found;
  for (const SoldModel& sold : by_model(sheets)) {
    if (sold.sheets.back()->weights == model) found.push_back(sold.sheets.back());
  }
  return found;
}

}  // namespace ridge
