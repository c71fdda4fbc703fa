#include "report/serve/deployment_json.hpp"
#include "report/simulate/class_json.hpp"
#include "report/simulate/simulation_text.hpp"

namespace ridge::report {

namespace {

using simulate::SimulationAnswer;
using simulate::SimulationResult;

Json spread_json(const simulate::Spread& spread) {
  if (spread.count == 0) return nullptr;
  return {{"count", spread.count},
          {"mean", json_number(spread.mean)},
          {"deviation", json_number(spread.deviation)},
          {"min", json_number(spread.least)},
          {"p50", json_number(spread.p50)},
          {"p90", json_number(spread.p90)},
          {"p95", json_number(spread.p95)},
          {"p99", json_number(spread.p99)},
          {"max", json_number(spread.most)}};
}

/// `share`: of requests within the SLO, where there is one.
Json latencies_json(const simulate::Latencies& all, std::optional<double> share) {
  Json json{{"ttft", spread_json(all.ttft.spread())},
            {"tpot", spread_json(all.tpot.spread())},
            {"itl", spread_json(all.itl.spread())},
            {"e2e", spread_json(all.e2e.spread())},
            {"queue", spread_json(all.queue.spread())}};
  if (share) {
    json["within_slo"] = all.within_targets;
    json["slo_share"] = json_number(*share);
  }
  return json;
}

Json range_json(const simulate::LengthRange& range) { return {{"min", range.least}, {"max", range.most}}; }

Json client_json(const simulate::SimulationQuestion& question) {
  const simulate::ClientRules& client = question.client;
  Json json{{"text", client_words(question)}, {"requests", client.requests}};
  if (const auto* loop = std::get_if<simulate::ClosedLoop>(&client.arrivals)) {
    json["arrivals"] = "closed loop";
    json["users"] = loop->users;
    json["think"] = simulate::seconds(loop->think);
  } else if (const auto* open = std::get_if<simulate::OpenLoop>(&client.arrivals)) {
    json["arrivals"] = "open loop";
    json["rate"] = json_number(open->rate);
    json["burstiness"] = json_number(open->burstiness);
    if (open->ramp_from > 0) json["ramp_from"] = json_number(open->ramp_from);
    if (open->stretched) json["stretched_gaps"] = true;
    if (open->most_in_flight > 0) json["max_concurrency"] = open->most_in_flight;
  } else if (const auto* sessions = std::get_if<simulate::Sessions>(&client.arrivals)) {
    json["arrivals"] = "sessions";
    json["rate"] = json_if_any(sessions->rate);
    json["sessions"] = sessions->rate > 0 ? Json(nullptr) : Json(sessions->users);
    json["turns"] = sessions->turns;
    json["think"] = simulate::seconds(sessions->think);
  } else {
    const auto& replay = std::get<simulate::Replay>(client.arrivals);
    json["arrivals"] = "trace";
    json["trace"] = replay.trace->name;
    json["speed"] = json_number(replay.speed);
    return json;
  }
  if (client.warmups > 0) json["warmups"] = client.warmups;
  json["isl"] = range_json(client.prompt);
  json["osl"] = range_json(client.output);
  json["system_prompts"] = client.system_prompts;
  json["system_tokens"] = client.system_tokens;
  return json;
}

Json scheduler_json(const simulate::SimulationSetup& setup) {
  const simulate::SchedulerRules& rules = setup.replica.rules;
  constexpr const char* kOrders[] = {"first come", "priority", "longest prefix"};
  constexpr const char* kRoutings[] = {"round-robin", "least-loaded", "power-of-two", "prefix-aware"};
  return {{"batching", name_of(rules.batching)},
          {"admission", name_of(rules.admission)},
          {"order", kOrders[static_cast<std::size_t>(rules.order)]},
          {"token_budget", rules.token_budget},
          {"max_sequences", rules.max_sequences},
          {"chunked_prefill", rules.chunked_prefill},
          {"composed_early", rules.composed_early},
          {"prefix_cache", rules.prefix_cache},
          {"block_tokens", rules.block_tokens},
          {"poll_steps", rules.poll_steps},
          {"kv_blocks", setup.replica.limits.blocks},
          {"ranks", setup.replica.groups},
          {"routing", kRoutings[static_cast<std::size_t>(setup.routing)]}};
}

Json tiers_json(const SimulationAnswer& answer) {
  Json json = Json::array();
  const auto& asked = answer.asked.question.tiers;
  const auto& limits = answer.asked.simulated.setup.replica.limits.tiers;
  for (std::size_t i = 0; i < asked.size() && i < limits.size(); ++i)
    json.push_back({{"tier", asked[i].name},
                    {"capacity", json_number(asked[i].capacity)},
                    {"tokens", limits[i].tokens},
                    {"token_time", json_number(limits[i].token_time * 1e-9)}});
  return json;
}

Json point_json(const simulate::RatePoint& point) {
  return {{"rate", json_number(point.rate)},
          {"slo_share", json_number(point.share)},
          {"holds", point.holds},
          {"saturated", point.saturated},
          {"ttft", spread_json(point.ttft)},
          {"tpot", spread_json(point.tpot)},
          {"e2e", spread_json(point.e2e)},
          {"output_tok_s", json_number(point.output_rate)},
          {"utilization", json_number(point.busy)}};
}

Json search_json(const simulate::RateSearch& search) {
  Json json{
      {"slo_share", json_number(search.share)},   {"rate", search.rate ? json_number(*search.rate) : Json(nullptr)},
      {"fails_at", json_if_any(search.fails_at)}, {"stopped", search.stopped},
      {"alone", point_json(search.alone)},        {"points", Json::array()}};
  for (const simulate::RatePoint& point : search.points) json["points"].push_back(point_json(point));
  return json;
}

void add_run(Json& json, const SimulationAnswer& answer) {
  const SimulationResult& r = answer.result;
  const double chips = answer.chips();
  const bool any = answer.targets().any();
  json["duration"] = json_number(r.duration);
  json["sent"] = r.sent;
  json["finished"] = r.finished;
  json["refused"] = r.refused;
  json["stopped"] = r.stopped;
  json["saturated"] = r.saturated;
  json["queue_growth"] = json_number(r.queue_growth);
  json["capacity"] = r.saturated ? json_number(r.finish_rate) : Json(nullptr);
  json["prompt_tokens"] = r.prompt_tokens;
  json["output_tokens"] = r.output_tokens;
  json["requests_per_s"] = json_number(r.request_rate());
  json["output_tok_s"] = json_number(r.output_rate());
  json["output_tok_s_per_chip"] = json_number(r.output_rate() / chips);
  const double total = r.duration > 0 ? static_cast<double>(r.prompt_tokens + r.output_tokens) / r.duration : 0;
  json["total_tok_s"] = json_number(total);
  json["total_tok_s_per_chip"] = json_number(total / chips);
  json["cost"] = json_if_any(answer.cost());
  json["cost_of_all"] = json_if_any(answer.cost_of_all());
  if (any) {
    json["slo_share"] = json_number(share_within_targets(r));
    json["goodput"] = json_number(r.duration > 0 ? static_cast<double>(r.all.within_targets) / r.duration : 0);
  }
  const auto share_of = [&](double share) { return any ? std::optional(share) : std::nullopt; };
  json["as_benchmarked"] = latencies_json(r.all, share_of(share_within_targets(r)));
  json["steady"] = latencies_json(r.steady, share_of(r.steady.goodput_share()));
  json["steady"]["duration"] = json_number(r.steady_duration);
  json["steady"]["finished"] = r.steady_finished;
  json["steady"]["output_tok_s"] = r.steady_duration > 0
                                       ? json_number(static_cast<double>(r.steady_output_tokens) / r.steady_duration)
                                       : Json(nullptr);
  json["utilization"] = json_number(r.busy);
  json["prefill_utilization"] = answer.asked.simulated.setup.prefill ? json_number(r.prefill_busy) : Json(nullptr);
  json["steps"] = r.steps;
  json["in_flight"] = json_number(r.in_flight);
  json["running"] = json_number(r.mean_running);
  json["kv_mean"] = json_number(r.mean_cache);
  json["kv_max"] = json_number(r.most_cache);
  json["preemptions"] = r.counts.preemptions;
  json["recomputed_tokens"] = r.counts.lost_tokens;
  json["prefix_hit_rate"] = json_number(answer.hit_rate());
  if (!answer.asked.question.tiers.empty()) json["fetched_rate"] = json_number(answer.fetched_rate());
  if (answer.asked.question.failures.any())
    json["failures"] = {{"replicas", r.failures}, {"retries", r.retries}, {"lost", r.lost}};
  if (answer.asked.question.cold_start)
    json["cold_start"] = simulate::seconds(answer.asked.simulated.setup.replica.cold_start);
  if (answer.near) {
    json["ttft_range"] = {{"capacity_error", simulate::kCapacityError},
                          {"less_capacity", spread_json(answer.near->slow)},
                          {"more_capacity", spread_json(answer.near->fast)},
                          {"saturated", answer.near->slow_saturated},
                          {"several_fold", answer.near->is_several_fold()}};
  }
}

Json timeline_json(const SimulationResult& result) {
  Json json{{"time", Json::array()}, {"running", Json::array()}, {"waiting", Json::array()}, {"kv", Json::array()}};
  for (const simulate::Moment& one : result.timeline) {
    json["time"].push_back(json_number(one.at));
    json["running"].push_back(json_count(one.running));
    json["waiting"].push_back(json_count(one.waiting));
    json["kv"].push_back(json_number(one.cache_used));
  }
  return json;
}

}  // namespace

std::string simulation_json(const SimulationAnswer& answer) {
  const ServingAnswer& closed = answer.asked.closed;
  Json json;
  json["schema"] = "ridge.simulate/1";
  json["units"] = {{"time", "s"}, {"rate", "1/s"}, {"tok_s", "token/s"}, {"cost", "$/token"}};
  json["model"] = closed.question.scenario.model;
  json["machine"] = closed.question.scenario.machine;
  json["engine"] = closed.question.engine;
  json["layout"] = layout_json(answer.layout());
  if (const auto& pool = answer.asked.simulated.setup.prefill) {
    json["prefill_layout"] = layout_json(answer.asked.simulated.deployment->prefill.layout);
    json["prefill_replicas"] = pool->replicas;
    if (const auto& elsewhere = answer.asked.simulated.deployment->prefill_elsewhere)
      json["prefill_machine"] = elsewhere->machine->name;
  }
  json["chips"] = json_number(answer.chips());
  json["price"] = json_number(answer.ground().numbers.price.value());
  json["client"] = client_json(answer.asked.question);
  json["seed"] = answer.asked.question.seed;
  json["scheduler"] = scheduler_json(answer.asked.simulated.setup);
  if (!answer.asked.question.tiers.empty()) json["kv_tiers"] = tiers_json(answer);
  if (answer.targets().any()) {
    json["slo"] = {{"ttft", json_if_any(answer.targets().ttft)},
                   {"tpot", json_if_any(answer.targets().tpot)},
                   {"e2e", json_if_any(answer.targets().e2e)}};
  }
  const bool ran = !answer.search || answer.search->rate;
  if (ran) add_run(json, answer);
  const bool near = closed.waits || answer.asked.closed_load > 1;
  json["closed_form"] = {{"ttft", near ? Json(nullptr) : json_number(closed.estimate.times.ttft.value())},
                         {"tpot", json_if_any(closed.estimate.times.tpot.value())},
                         {"concurrency", json_number(closed.load.concurrency * answer.layout().replicas)},
                         {"load", json_if_any(answer.asked.closed_load)}};
  if (answer.search) json["find_rate"] = search_json(*answer.search);
  if (!answer.over_seeds.empty()) {
    json["seeds"] = {{"count", answer.seeds}, {"figures", Json::object()}};
    for (const simulate::SeedSpread& one : answer.over_seeds)
      json["seeds"]["figures"][one.name] = {
          {"mean", json_number(one.mean)}, {"low", json_number(one.low)}, {"high", json_number(one.high)}};
  }
  if (answer.mix) json["classes"] = classes_json(*answer.mix, answer.classes);
  if (ran) json["timeline"] = timeline_json(answer.result);
  json["notes"] = answer.notes;
  return dumped(json);
}

}  // namespace ridge::report
