#include "report/search/fleet_json.hpp"

#include "report/search/fleet_text.hpp"
#include "report/serve/deployment_json.hpp"
#include "report/simulate/class_json.hpp"

namespace ridge::report {

namespace {

Json promised_json(const PlannedFleet& fleet) {
  Json all = Json::array();
  for (const PromisedFigure& one : fleet.promised) {
    all.push_back({{"metric", name_of(one.target.metric)},
                   {"statistic", name_of(one.target.statistic)},
                   {"limit", json_number(one.target.limit.value())},
                   {"value", json_if_any(one.value)},
                   {"interval", interval_json(fleet.closed.errors, figure_of(one.target.metric), one.value)},
                   {"odds", fleet.odds_unknown ? Json(nullptr) : json_number(one.odds)}});
  }
  return all;
}

Json one_fleet_json(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const PlanMachine& machine = answer.plan.machines[fleet.point.machine];
  const FleetSize& size = fleet.point.fleet;
  Json json;
  json["machine"] = machine.name;
  json["nodes"] = json_count(size.nodes);
  json["chips_per_node"] = json_count(machine.node);
  const PlanMachine* prefill = prefill_machine_of(answer.plan, fleet.point);
  json["chips"] = json_count(chips_in(answer, fleet));
  json["prefill_machine"] = prefill ? Json(prefill->name) : Json(nullptr);
  json["prefill_nodes"] = json_count(size.prefill_nodes);
  json["overlap"] = name_of(answer.plan.request.overlaps[fleet.point.overlap]);
  json["layout"] = layout_json(fleet.point.layout);
  json["replicas"] = json_count(size.replicas);
  json["disaggregated"] = fleet.point.disaggregated;
  json["prefill_layout"] = fleet.point.disaggregated ? layout_json(fleet.point.prefill_layout) : Json(nullptr);
  json["prefill_replicas"] = json_count(size.prefill_replicas);
  json["requests_per_s"] = json_number(fleet.rate / (1 + answer.plan.request.fleet->headroom));
  json["judged_at_requests_per_s"] = json_number(fleet.rate);
  json["concurrency_per_replica"] = json_number(fleet.closed.load.concurrency);
  json["slo"] = promised_json(fleet);
  json["odds"] = fleet.odds_unknown ? Json(nullptr) : json_number(fleet.odds);
  json["holds"] = fleet.holds;
  json["given_up"] = fleet.given_up();
  json["dollars_per_hour"] = json_number(fleet.bill() * kBilledHour);
  json["dollars_per_month"] = json_number(fleet.bill() * kBilledMonth);
  json["cost"] = json_number(cost_of(answer, fleet));
  const auto basis = price_basis_of(fleet);
  json["price_basis"] = basis ? Json(name_of(*basis)) : Json(nullptr);
  json["assumed_price"] = assumes_price(answer.plan, fleet.point);
  json["extrapolated"] = fleet.point.extrapolated;
  json["situation"] = situation_json(fleet.closed.errors.situation);
  if (fleet.simulated) {
    const SimulatedFleet& seen = *fleet.simulated;
    json["simulated"] = {
        {"requests", seen.slice.requests},
        {"requests_per_s", json_number(seen.slice.rate)},
        {"replicas", json_count(seen.slice.replicas)},
        {"prefill_replicas", json_count(seen.slice.prefill_replicas)},
        {"ttft", samples_json(seen.ttft)},
        {"tpot", samples_json(seen.tpot)},
        {"e2e", samples_json(seen.e2e)},
        {"utilization", json_number(seen.busy)},
        {"prefill_utilization", fleet.point.disaggregated ? json_number(seen.prefill_busy) : Json(nullptr)},
        {"kv_cache_used", json_number(seen.cache_used)},
        {"saturated", seen.saturated}};
    json["simulated"]["classes"] =
        answer.question.mix ? classes_json(*answer.question.mix, seen.classes) : Json::array();
  } else {
    json["simulated"] = nullptr;
  }
  return json;
}

Json racks_json(const std::optional<FleetRacks>& racks) {
  if (!racks) return nullptr;
  return {{"count", json_count(racks->count)},
          {"nodes_each", json_count(racks->nodes_each)},
          {"watts_drawn", json_number(racks->drawn)},
          {"watts_limit", json_number(racks->limit)},
          {"within_limit", racks->within}};
}

Json power_json(const FleetPower& power) {
  Json json;
  json["watts"] = json_if_any(power.watts);
  json["output_tok_s_per_mw"] = json_if_any(power.tokens_per_joule * 1e6);
  json["racks"] = racks_json(power.racks);
  if (power.prefill_racks) json["prefill_racks"] = racks_json(power.prefill_racks);
  return json;
}

}  // namespace

Json bought_json(const FleetAnswer& answer) { return one_fleet_json(answer, answer.fleets.front()); }

std::string fleet_json(const FleetReport& report) {
  const FleetAnswer& answer = report.answer;
  const FleetAim& aim = *answer.plan.request.fleet;
  Json json;
  json["schema"] = "ridge.fleet/1";
  json["class"] = class_of(report);
  json["model"] = answer.plan.request.question.scenario.model;
  json["asked"] = {{"requests_per_s", aim.rate ? json_number(*aim.rate) : Json(nullptr)},
                   {"nodes", aim.nodes ? json_count(*aim.nodes) : Json(nullptr)},
                   {"dollars_per_s", aim.budget ? json_number(*aim.budget) : Json(nullptr)},
                   {"headroom", json_number(aim.headroom)},
                   {"spare", json_count(aim.spare)},
                   {"confidence", json_number(answer.plan.request.confidence)}};
  json["searched"] = {{"layouts", answer.plan.search.layouts},
                      {"evaluated", answer.plan.search.evaluated},
                      {"simulations", answer.simulations}};
  const bool any = !answer.fleets.empty() && answer.fleets.front().holds;
  json["best"] = any ? one_fleet_json(answer, answer.fleets.front()) : Json(nullptr);
  if (any) json["best"]["power"] = power_json(report.power);
  Json others = Json::array();
  for (std::size_t i = any ? 1 : 0; i < answer.fleets.size(); ++i)
    others.push_back(one_fleet_json(answer, answer.fleets[i]));
  json["others"] = others;
  json["lead"] = nullptr;
  if (const auto lead = lead_of(answer))
    json["lead"] = {{"over_next", json_number(lead->ahead)},
                    {"error", json_number(lead->error)},
                    {"more_than_error", lead->is_clear()}};
  json["rate_range"] = nullptr;
  if (answer.range && any)
    json["rate_range"] = {{"expected", json_number(answer.range->expected)},
                          {"80", {json_number(answer.range->interval.low), json_number(answer.range->interval.high)}}};
  json["day"] = nullptr;
  if (answer.day && any) {
    json["day"] = {{"mean_requests_per_s", json_number(answer.day->mean_rate)},
                   {"nodes_by_hour", answer.day->nodes},
                   {"elastic_dollars_per_month", json_number(answer.day->elastic_bill * kBilledMonth)}};
  }
  json["nearest_run"] = report.nearest ? nearest_json(*report.nearest) : Json(nullptr);
  json["again"] = report.line.empty() ? Json(nullptr) : Json(report.line);
  json["host"] = report.host_line.empty() ? Json(nullptr) : Json(report.host_line);
  json["price"] = report.price_line.empty() ? Json(nullptr) : Json(report.price_line);
  json["demand"] = report.demand_line.empty() ? Json(nullptr) : Json(report.demand_line);
  json["tier"] = report.tier_line.empty() ? Json(nullptr) : Json(report.tier_line);
  json["commands"] = commands_json(report.commands);
  json["notes"] = report.cautions;
  for (const std::string& note : report.notes) json["notes"].push_back(note);
  return dumped(json);
}

}  // namespace ridge::report
