#include "report/search/plan_text.hpp"
#include "report/serve/deployment_json.hpp"

namespace ridge::report {

namespace {

Json format_json(const std::optional<std::string>& format) { return format ? Json(*format) : Json(nullptr); }

Json point_json(const PlanRequest& request, const PlanPoint& point) {
  Json json;
  json["machine"] = request.machines[point.machine];
  json["prefill_machine"] = request.prefill_machines.empty() || !point.disaggregated
                                ? Json(nullptr)
                                : Json(request.prefill_machines[point.prefill_machine]);
  json["weights"] = format_json(request.weights[point.weights]);
  json["kv"] = format_json(request.kv[point.kv]);
  json["speculative_tokens"] = json_count(request.speculative_tokens[point.speculative_tokens]);
  json["token_budget"] = json_count(request.token_budgets[point.token_budget]);
  json["overlap"] = name_of(request.overlaps[point.overlap]);
  json["layout"] = layout_json(point.layout);
  json["disaggregated"] = point.disaggregated;
  json["prefill_layout"] = point.disaggregated ? layout_json(point.prefill_layout) : Json(nullptr);
  json["concurrency"] = json_number(point.concurrency);
  json["tpot"] = json_if_any(point.tpot);
  json["ttft"] = point.ttft_known ? json_number(point.ttft) : Json(nullptr);
  json["tok_s_per_user"] = json_if_any(point.user_rate);
  json["output_tok_s_per_chip"] = json_number(point.chip_rate);
  json["tpot_margin"] = json_number(point.tpot_margin);
  json["ttft_margin"] = json_number(point.ttft_margin);
  json["cost"] = json_number(point.cost);
  json["chips"] = json_number(point.chips);
  json["extrapolated"] = point.extrapolated;
  json["energy_per_output_token"] = point.energy > 0 ? json_number(point.energy) : Json(nullptr);
  return json;
}

/// Intervals of the figures that a point has.
Json plan_intervals_json(const PlanPoint& point, const AnswerErrors& errors) {
  return {{"tpot", interval_json(errors, SpreadFigure::tpot, point.tpot)},
          {"ttft", point.ttft_known ? interval_json(errors, SpreadFigure::ttft, point.ttft) : Json(nullptr)},
          {"output_tok_s_per_chip", interval_json(errors, SpreadFigure::throughput, point.chip_rate)},
          {"cost", interval_json(errors, SpreadFigure::throughput, point.cost)}};
}

/// What no deployment of a machine exceeds, prefill counted.
Json bounds_json(const PlanReport& report) {
  Json all = Json::array();
  for (const FrontierBound& bound : report.bounds) {
    Json points = Json::array();
    for (const BoundPoint& point : bound.points)
      points.push_back(
          {{"tok_s_per_user", json_number(point.user_rate)}, {"output_tok_s_per_chip", json_number(point.chip_rate)}});
    all.push_back({{"machine", report.plan.request.machines[bound.machine]},
                   {"class", "roofline bound"},
                   {"chips", json_number(bound.grounds.front().numbers.chips.value())},
                   {"points", std::move(points)}});
  }
  return all;
}

Json points_json(const PlanAnswer& plan, const PlanFrontier& frontier) {
  Json all = Json::array();
  for (const auto& entry : frontier.candidates()) all.push_back(point_json(plan.request, entry.point));
  return all;
}

}  // namespace

std::string plan_json(const PlanReport& report) {
  const PlanAnswer& plan = report.plan;
  Json json;
  json["schema"] = "ridge.plan/2";
  json["model"] = plan.request.question.scenario.model;
  json["class"] = plan.search.best && plan.search.best->extrapolated ? "extrapolated" : "calibrated";
  json["objective"] = name_of(plan.request.objective);
  json["slo"] = {{"ttft", plan.request.ttft ? json_number(plan.request.ttft->value()) : Json(nullptr)},
                 {"tpot", plan.request.tpot ? json_number(plan.request.tpot->value()) : Json(nullptr)},
                 {"e2e", plan.request.e2e ? json_number(plan.request.e2e->value()) : Json(nullptr)},
                 {"confidence", json_number(plan.request.confidence)}};
  json["searched"] = {
      {"layouts", plan.search.layouts}, {"fitting", plan.search.fitting}, {"evaluated", plan.search.evaluated}};
  const auto chosen_json = [&](const std::optional<PlanPoint>& point) {
    if (!point) return Json(nullptr);
    Json one = point_json(plan.request, *point);
    one["assumed_price"] = assumes_price(plan, *point);
    return one;
  };
  json["best"] = chosen_json(plan.search.best);
  if (report.best && plan.search.best) {
    json["best"]["intervals"] = plan_intervals_json(*plan.search.best, report.best->errors);
    json["best"]["situation"] = situation_json(report.best->errors.situation);
  }
  json["runner_up"] = chosen_json(plan.search.runner_up);
  json["relaxations"] = Json::array();
  for (const PlanRelaxation& way : plan.relaxations) {
    json["relaxations"].push_back(
        {{"say", way.say}, {"factor", json_number(way.factor)}, {"point", point_json(plan.request, way.point)}});
  }
  json["frontier"] = points_json(plan, plan.search.frontier);
  json["cost_frontier"] = points_json(plan, plan.search.cost_frontier);
  json["frontier_bounds"] = bounds_json(report);
  Json machines = Json::array();
  for (std::size_t i = 0; i < plan.machines.size(); ++i) {
    const auto found = plan.search.best_of_machine.find(i);
    machines.push_back(
        {{"name", plan.machines[i].name},
         {"best",
          found == plan.search.best_of_machine.end() ? Json(nullptr) : point_json(plan.request, found->second)}});
  }
  json["machines"] = machines;
  json["changes"] = Json::array();
  for (const PlanOutlook& one : report.outlooks) {
    json["changes"].push_back(
        {{"change", one.say}, {"best", one.best ? point_json(one.request, *one.best) : Json(nullptr)}});
  }
  json["commands"] = commands_json(report.commands);
  json["notes"] = plan.notes;
  return dumped(json);
}

}  // namespace ridge::report
