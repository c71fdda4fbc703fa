#include "report/base/json.hpp"
#include "report/price/make/computed_input_json.hpp"
#include "report/price/tier/tier_text.hpp"
#include "report/serve/deployment_json.hpp"

namespace ridge::report {

namespace {

Json tiers_json(const TierAnswer& answer) {
  Json list = Json::array();
  for (const TierRow& row : answer.rows) {
    Json one{{"name", row.facts.name},
             {"title", row.facts.title},
             {"assumed", !row.assumed.empty()},
             {"assumed_facts", row.assumed},
             {"hold", json_number(row.cost.hold.value())},
             {"write", json_number(row.cost.write.value())},
             {"fetch", json_number(row.cost.fetch.value())},
             {"fetch_time", json_number(row.fetch_time.value())}};
    if (row.facts.of != Tier::Of::compute) {
      one["drain"] = json_number(row.drain.value());
      one["device"] = {
          {"capacity", json_number(row.device.capacity.value())}, {"read", json_number(row.device.read.value())},
          {"write", json_number(row.device.write.value())},       {"reach", json_number(row.device.reach.value())},
          {"price", json_number(row.device.price.value())},       {"wear", json_number(row.device.wear.value())}};
      Json& device = one["device"];
      if (row.device.lags) device["latency"] = json_number(row.device.latency.value());
      if (row.device.seeks) device["seek"] = json_number(row.device.seek.value());
      if (row.device.in_pieces) device["piece"] = json_number(row.device.piece.value());
      if (row.device.queues) device["utilization"] = json_number(row.device.utilization.value());
      if (row.facts.server_price) device["server_price"] = json_number(row.facts.server_price->value.value());
    }
    if (row.computed) {
      const ServingAnswer& served = *answer.question.served;
      one["load"] = computed_input_json(*row.computed);
      one["deployed"] = {{"layout", short_name(served.layout())}, {"engine", served.question.engine}};
      one["interval"] = interval_json(served.errors, SpreadFigure::throughput, row.computed->cost.value());
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json fleet_json(const TierAnswer& answer, const FleetChoice& choice) {
  return {{"tier", answer.rows[choice.tier].facts.name},
          {"keep", json_number(choice.keep.value())},
          {"held", json_number(choice.held.value())},
          {"hits", json_number(choice.hits.value())},
          {"cost", json_number(choice.cost.value())}};
}

Json reading_json(const TierAnswer& answer) {
  const TariffReading& reading = *answer.reading;
  Json json{{"input", json_number(reading.tariff.input.value())}, {"findings", reading.findings}};
  if (reading.sells_holding()) {
    json["premium"] = json_number(reading.parts.premium.value());
    json["hold"] = json_number(reading.parts.hold.value());
  }
  if (reading.tariff.hit) json["hit"] = json_number(reading.tariff.hit->value());
  json["writes"] = Json::array();
  for (const CacheWrite& write : reading.tariff.writes)
    json["writes"].push_back({{"keep", json_number(write.keep.value())}, {"price", json_number(write.price.value())}});
  json["tiers"] = Json::array();
  for (const TariffRow& row : reading.rows) {
    Json one{{"tier", answer.rows[row.tier].facts.name}, {"consistent_by_price", row.pays}};
    if (reading.sells_holding()) {
      one["most_bytes_by_hold"] = json_number(row.bytes_by_hold.value());
      one["hold_markup"] = json_number(row.hold_margin.value());
    }
    if (reading.tariff.hit) {
      one["most_bytes_by_fetch"] = json_number(row.bytes_by_fetch.value());
      one["fetch_markup"] = json_number(row.fetch_margin.value());
    }
    one["drain_over_keep"] = Json::array();
    one["consistent_by_time"] = Json::array();
    for (std::size_t i = 0; i < row.natural.size(); ++i) {
      one["drain_over_keep"].push_back(json_number(row.drain_over_keep[i].value()));
      one["consistent_by_time"].push_back(static_cast<bool>(row.natural[i]));
    }
    json["tiers"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string tier_json(const TierAnswer& answer) {
  Json json;
  json["schema"] = "ridge.tier/2";
  json["units"] = {{"hold", "$/(token s)"}, {"write", "$/token"}, {"fetch", "$/token"}, {"time", "s"}};
  json["model"] = answer.title;
  json["machine"] = answer.resolved.machine;
  json["context"] = json_number(answer.question.context.value());
  json["kv_bytes_per_token"] = json_number(answer.kept_bytes.value());
  json["active"] = json_number(answer.active.value());
  json["attention_flops"] = json_number(answer.attention.value());
  json["chip_price"] = json_number(answer.chip_price.value());
  json["waiting"] = json_number(answer.question.waiting.value());
  json["reuse_probability"] = json_number(answer.question.reuse.value());
  json["tiers"] = tiers_json(answer);
  json["break_even"] = Json::array();
  for (const TierPair& pair : answer.pairs) {
    json["break_even"].push_back({{"first", answer.rows[pair.first].facts.name},
                                  {"second", answer.rows[pair.second].facts.name},
                                  {"at", json_number(pair.at.value())}});
  }
  Json best = Json::array();
  for (std::size_t i = 0; i < answer.map.chances.size(); ++i) {
    for (std::size_t j = 0; j < answer.map.times.size(); ++j) {
      best.push_back({{"time", json_number(answer.map.times[j].value())},
                      {"reuse_probability", json_number(answer.map.chances[i].value())},
                      {"tier", answer.rows[answer.map.best[i][j]].facts.name}});
    }
  }
  json["map"] = std::move(best);
  json["fleet"] = {{"curve", answer.curve.name}, {"best", fleet_json(answer, answer.fleet[answer.best_fleet])}};
  for (const FleetChoice& one : answer.fleet) json["fleet"]["tiers"].push_back(fleet_json(answer, one));
  if (answer.reading) json["tariff"] = reading_json(answer);
  json["notes"] = answer.notes;
  return dumped(json);
}

}  // namespace ridge::report
