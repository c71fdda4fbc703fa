#include "price/sheet/sheet_check.hpp"
#include "report/price/make/computed_input_json.hpp"
#include "report/price/make/cost_parts_json.hpp"
#include "report/price/money/money_text.hpp"
#include "report/price/sheet/sheet_json.hpp"
#include "report/search/fleet_json.hpp"
#include "report/serve/deployment_json.hpp"

namespace ridge::report {

namespace {

Json mix_json(const TokenMix<double>& mix) {
  return {{"input_computed", json_number(mix.fresh.value())},
          {"input_cached", json_number(mix.cached.value())},
          {"output", json_number(mix.output.value())}};
}

}  // namespace

std::string cost_json(const ChipCost& cost) {
  Json json;
  json["schema"] = "ridge.cost/1";
  json["machine"] = cost.machine->name;
  json["chip"] = cost.chip->name;
  json["rental"] = value(cost.rental);
  json["price_basis"] = name_of(cost.question.rental);
  json["contracts"] = Json::object();
  for (const ContractPrice& one : cost.contracts) {
    json["contracts"][std::string(name_of(one.basis))] = {{"price", value(one.price.price.value)},
                                                          {"filled", one.price.filled},
                                                          {"source", one.price.price.from.source},
                                                          {"note", one.price.price.from.note}};
  }
  json["utilization"] = json_number(cost.question.utilization);
  if (cost.numbers) {
    const OwnershipCase<double>& n = *cost.numbers;
    json["inputs"] = {{"capex", value(n.capex)},
                      {"life", value(n.life)},
                      {"power", value(n.power)},
                      {"pue", value(n.pue)},
                      {"electricity", value(n.electricity)},
                      {"cost_of_capital", value(n.cost_of_capital)},
                      {"memory_share", json_number(cost.question.memory_utilization)}};
    json["owned"] = {{"depreciation", value(cost.owned.depreciation)},
                     {"interest", value(cost.owned.interest)},
                     {"energy", value(cost.owned.energy)},
                     {"total", value(cost.owned.total())},
                     {"memory", value(cost.memory.memory)},
                     {"rest", value(cost.memory.rest)},
                     {"used_hour", value(cost.owned.total() / Ratio<double>(cost.question.utilization))}};
    json["payback"] = value(cost.payback);
    json["assumed"] = cost.assumed;
  }
  if (!cost.notes.empty()) json["notes"] = cost.notes;
  return dumped(json);
}

std::string day_json(const ServingDay& day) {
  Json json;
  json["schema"] = "ridge.day/2";
  json["day"] = day.name;
  json["title"] = day.title;
  json["sheet"] = sheet_json(day.sheet);
  json["fleet"] = {{"nodes", json_number(day.fleet.nodes.value())},
                   {"chips_per_node", json_number(day.fleet.chips.value())},
                   {"time", value(day.fleet.time)},
                   {"rental", value(day.fleet.rental)}};
  json["tokens"] = mix_json(day.tokens);
  json["revenue"] = {{"input_computed", json_number(day.revenue.fresh.value())},
                     {"input_cached", json_number(day.revenue.cached.value())},
                     {"output", json_number(day.revenue.output.value())},
                     {"total", json_number(day.revenue.total().value())}};
  json["cost"] = json_number(day.cost.value());
  json["profit_over_cost"] = json_number(day.markup.value());
  json["margin"] = json_number(day.margin.value());
  json["published"] = {{"cost", json_number(day.published.cost.value())},
                       {"revenue", json_number(day.published.revenue.value())},
                       {"profit_over_cost", json_number(day.published.markup.value())}};
  json["note"] = day.note;
  json["findings"] = sheet_findings(day.sheet);
  return dumped(json);
}

std::string host_json(const HostAnswer& answer, const FleetAnswer* fleet) {
  Json json;
  json["schema"] = "ridge.host/2";
  const ServingAnswer& serving = answer.serving;
  const bool decodes = serving.load.decodes();
  json["deployment"] = {{"model", serving.ground().model->name},
                        {"layout", short_name(serving.layout())},
                        {"chips", json_number(serving.estimate.chips.value())},
                        {"price", value(DollarsPerSecond<double>(serving.ground().numbers.price.value()))},
                        {"assumed_price", assumes_price(serving)},
                        {"concurrency", json_number(serving.load.concurrency * serving.layout().replicas)},
                        {"tpot", decodes ? value(serving.estimate.times.tpot) : Json(nullptr)},
                        {"bill", value(answer.bill)},
                        {"capacity", value(answer.capacity)}};
  json["fleet"] = fleet != nullptr ? bought_json(*fleet) : Json(nullptr);
  json["request"] = mix_json(answer.request);
  json["cost"] = {{"input_computed", value(answer.fresh)},
                  {"input_cached", value(answer.cached)},
                  {"output", value(answer.output)},
                  {"mix", value(answer.mixed)}};
  json["intervals"] = intervals_json(serving);
  json["intervals"]["mix"] = interval_json(serving.errors, SpreadFigure::throughput, answer.mixed.value());
  json["situation"] = situation_json(serving.errors.situation);
  if (answer.computed) json["input_load"] = computed_input_json(*answer.computed);
  const StepCosts<double>& step = answer.step;
  json["step"] = {{"weights", value(step.weights)},       {"kv_cache", value(step.context)},
                  {"compute", value(step.compute)},       {"network", value(step.network)},
                  {"below_peak", value(step.below_peak)}, {"overhead", value(step.engine)},
                  {"total", value(step.total())}};
  if (!decodes) json["step"] = nullptr;
  json["parts"]["output"] = decodes ? parts_json(answer.output, step) : Json(nullptr);
  if (answer.fresh_prefill) json["parts"]["input_computed"] = parts_json(answer.fresh, *answer.fresh_prefill);
  if (answer.cached_prefill) json["parts"]["input_cached"] = parts_json(*answer.cached, *answer.cached_prefill);
  if (answer.question.tokens_per_day) {
    json["demand"] = {{"tokens_per_day", json_number(*answer.question.tokens_per_day)},
                      {"deployments", json_count(answer.replicas)},
                      {"nodes", json_count(answer.nodes)},
                      {"utilization", json_number(answer.utilization)},
                      {"dollars_per_day", json_number(answer.per_day)},
                      {"idle", value(answer.idle(answer.output))}};
  }
  json["providers"] = Json::array();
  for (const HostRow& row : answer.hosts) {
    Json one{{"sheet", sheet_json(*row.sheet)},
             {"mix", value(row.price)},
             {"break_even_tokens_per_day", json_number(row.even.rate.value() * 86400)},
             {"break_even_utilization", json_number(row.even.utilization.value())},
             {"margin", json_number(row.margin.value())}};
    one["break_even_nodes"] = row.whole ? Json{{"tokens_per_day", json_number(row.whole->tokens_per_day)},
                                               {"nodes", json_count(row.whole->nodes)},
                                               {"utilization", json_number(row.whole->utilization)}}
                                        : Json(nullptr);
    if (answer.question.tokens_per_day) one["dollars_per_day"] = json_number(row.per_day);
    json["providers"].push_back(std::move(one));
  }
  json["margins"] = Json::array();
  for (const MarginPoint& point : answer.margins) {
    Json margins = Json::array();
    for (const double margin : point.margins) margins.push_back(json_number(margin));
    json["margins"].push_back({{"cached", json_number(point.hit)},
                               {"mix_cost", value(point.cost)},
                               {"margin_by_provider", std::move(margins)}});
  }
  json["notes"] = answer.notes;
  return dumped(json);
}

}  // namespace ridge::report
