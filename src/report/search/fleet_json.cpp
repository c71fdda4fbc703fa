#include "report/search/fleet_text.hpp"
#include "report/serve/deployment_json.hpp"

namespace ridge::report {

namespace {

Json samples_json(const simulate::Spread& spread) {
  return {{"mean", json_number(spread.mean)},
          {"p50", json_number(spread.p50)},
          {"p90", json_number(spread.p90)},
          {"p95", json_number(spread.p95)},
          {"p99", json_number(spread.p99)}};
}

Json promised_json(const PlannedFleet& fleet) {
  Json all = Json::array();
  for (const PromisedFigure& one : fleet.promised) {
    all.push_back({{"metric", name_of(one.target.metric)},
                   {"statistic", name_of(one.target.statistic)},
                   {"limit", json_number(one.target.limit.value())},
                   {"value", json_if_any(one.value)},
                   {"interval", interval_json(fleet.closed.errors, figure_of(one.target.metric), one.value)},
                   {"odds", json_number(one.odds)}});
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
  json["chips"] = json_count(size.nodes * machine.node);
  json["layout"] = layout_json(fleet.point.layout);
  json["replicas"] = json_count(size.replicas);
  json["disaggregated"] = fleet.point.disaggregated;
  json["prefill_layout"] = fleet.point.disaggregated ? layout_json(fleet.point.prefill_layout) : Json(nullptr);
  json["prefill_replicas"] = json_count(size.prefill_replicas);
  json["requests_per_s"] = json_number(fleet.rate / (1 + answer.plan.request.fleet->headroom));
  json["judged_at_requests_per_s"] = json_number(fleet.rate);
  json["concurrency_per_replica"] = json_number(fleet.closed.load.concurrency);
  json["slo"] = promised_json(fleet);
  json["odds"] = json_number(fleet.odds);
  json["holds"] = fleet.holds;
  json["dollars_per_hour"] = json_number(fleet.bill() * kBilledHour);
  json["dollars_per_month"] = json_number(fleet.bill() * kBilledMonth);
  json["cost"] = json_number(cost_of(answer, fleet));
  json["extrapolated"] = fleet.point.extrapolated;
  json["situation"] = situation_json(fleet.closed.errors.situation);
  if (fleet.simulated) {
    const SimulatedFleet& seen = *fleet.simulated;
    json["simulated"] = {{"requests", seen.requests},
                         {"ttft", samples_json(seen.ttft)},
                         {"tpot", samples_json(seen.tpot)},
                         {"e2e", samples_json(seen.e2e)},
                         {"utilization", json_number(seen.busy)},
                         {"kv_cache_used", json_number(seen.cache_used)},
                         {"saturated", seen.saturated}};
    json["simulated"]["classes"] = Json::array();
    for (std::size_t i = 0; i < seen.classes.size(); ++i) {
      const simulate::RequestClass& one = answer.question.mix->classes[i];
      json["simulated"]["classes"].push_back({{"name", one.name},
                                              {"share", json_number(one.share)},
                                              {"isl", json_number(one.isl)},
                                              {"osl", json_number(one.osl)},
                                              {"cached", json_number(one.cached)},
                                              {"ttft", samples_json(seen.classes[i].ttft)},
                                              {"tpot", samples_json(seen.classes[i].tpot)}});
    }
  } else {
    json["simulated"] = nullptr;
  }
  return json;
}

Json power_json(const FleetPower& power) {
  Json json;
  json["watts"] = json_if_any(power.watts);
  json["output_tok_s_per_mw"] = json_if_any(power.tokens_per_joule * 1e6);
  json["racks"] = nullptr;
  if (power.racks) {
    json["racks"] = {{"count", json_count(power.racks->count)},
                     {"nodes_each", json_count(power.racks->nodes_each)},
                     {"watts_drawn", json_number(power.racks->drawn)},
                     {"watts_limit", json_number(power.racks->limit)},
                     {"within_limit", power.racks->within}};
  }
  return json;
}

}  // namespace

std::string fleet_json(const FleetReport& report) {
  const FleetAnswer& answer = report.answer;
  const FleetAim& aim = *answer.plan.request.fleet;
  Json json;
  json["schema"] = "ridge.fleet/1";
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
  json["day"] = nullptr;
  if (answer.day && any) {
    json["day"] = {{"mean_requests_per_s", json_number(answer.day->mean_rate)},
                   {"nodes_by_hour", answer.day->nodes},
                   {"elastic_dollars_per_month", json_number(answer.day->elastic_bill * kBilledMonth)}};
  }
  json["nearest_run"] = report.nearest ? nearest_json(*report.nearest) : Json(nullptr);
  json["again"] = report.line.empty() ? Json(nullptr) : Json(report.line);
  json["commands"] = commands_json(report.commands);
  json["notes"] = report.notes;
  return dumped(json);
}

}  // namespace ridge::report
