#include "report/base/json.hpp"
#include "report/price/money/demand_text.hpp"
#include "report/search/fleet_json.hpp"
#include "report/serve/deployment_json.hpp"

namespace ridge::report {

namespace {

Json point_json(const DemandPoint& point) {
  return {{"name", point.name},
          {"batch", json_count(point.batch.value())},
          {"step_time", json_number(point.step.value())},
          {"output_tok_s", json_number(point.rate.value())},
          {"users", json_number(point.users.value())},
          {"cost", json_number(point.cost.value())}};
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

const char* verdict_word(SparsityVerdict verdict) {
  switch (verdict) {
    case SparsityVerdict::never:
      return "never";
    case SparsityVerdict::with_users:
      return "with users";
    case SparsityVerdict::always_same:
      return "always";
    case SparsityVerdict::mixed:
      break;
  }
  return "mixed";
}

/// What is calibrated, with how far off it may be; nothing where no deployment was found.
Json deployed_json(const DemandAnswer& answer) {
  if (!answer.deployed) return nullptr;
  const ServingAnswer& served = *answer.question.served;
  const DeployedDemand& one = *answer.deployed;
  const auto interval = [&](double estimate) {
    if (answer.question.fleet) return Json(nullptr);  // the rate and the bill are given; what is promised has intervals
    return Json(interval_json(served.errors, SpreadFigure::throughput, estimate));
  };
  return {{"layout", short_name(served.layout())},
          {"engine", served.question.engine},
          {"isl", json_number(served.load.isl)},
          {"osl", json_number(served.load.osl)},
          {"concurrency", json_number(served.load.concurrency)},
          {"replicas", json_count(one.nodes.replicas)},
          {"prefill_replicas", json_count(one.nodes.prefill_replicas)},
          {"nodes", json_count(one.nodes.all_nodes())},
          {"tpot", json_if_any(served.estimate.times.tpot.value())},
          {"output_tok_s", json_number(one.rate.value())},
          {"users", json_number(one.users.value())},
          {"cost", json_number(one.cost.value())},
          {"intervals",
           {{"output_tok_s", interval(one.rate.value())},
            {"users", interval(one.users.value())},
            {"cost", interval(one.cost.value())}}},
          {"situation", situation_json(served.errors.situation)}};
}

}  // namespace

std::string demand_json(const DemandAnswer& answer, const FleetAnswer* fleet) {
  Json json;
  json["schema"] = "ridge.demand/2";
  json["class"] = "roofline bound";
  json["case"] = case_json(answer.resolved);
  json["per_user"] = json_number(answer.per_user.value());
  json["balance_batch"] = json_number(answer.balance);
  json["largest_batch"] = json_number(answer.largest);
  json["point"] = point_json(answer.point);
  json["points"] = Json::array();
  for (const DemandPoint& point : answer.others) json["points"].push_back(point_json(point));
  json["deployed"] = deployed_json(answer);
  json["fleet"] = fleet != nullptr ? bought_json(*fleet) : Json(nullptr);
  json["traffic"] = Json::array();
  for (const TrafficShare& one : answer.traffic) {
    Json row{{"name", one.name},
             {"title", one.title},
             {"traffic", json_number(one.traffic.value())},
             {"output", json_number(one.output.value())},
             {"output_assumed", one.by_share.has_value()},
             {"share", json_number(one.share.value())},
             {"deployments", json_number(one.deployments.value())},
             {"source", one.from.source}};
    if (one.by_share) row["output_share"] = json_number(one.by_share->value.value());
    json["traffic"].push_back(std::move(row));
  }
  json["sparsity"] = {{"law", answer.law_title}, {"dense_equivalent", json_number(answer.dense_equivalent)}};
  json["sparsity"]["verdict"] = verdict_word(sparsity_verdict(answer.curves));
  json["sparsity"]["curves"] = Json::array();
  for (const SparsityCurve& curve : answer.curves) {
    json["sparsity"]["curves"].push_back({{"streams", json_number(curve.streams.value())},
                                          {"best", json_number(curve.sparsity[curve.best])},
                                          {"total_over_active", numbers(curve.sparsity)},
                                          {"active", numbers(curve.active)},
                                          {"cost", numbers(curve.cost)}});
  }
  json["notes"] = answer.notes;
  return dumped(json);
}

}  // namespace ridge::report
