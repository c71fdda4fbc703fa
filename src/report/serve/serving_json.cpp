#include "report/derive/derivation_json.hpp"
#include "report/roofline/flips_json.hpp"
#include "report/serve/deployment_json.hpp"
#include "report/serve/serving_readings.hpp"
#include "report/serve/serving_text.hpp"
#include "serve/question/serving_inputs.hpp"
#include "serve/serving_bound.hpp"

namespace ridge::report {

namespace {

Json memory_json(const ChipMemory& memory) {
  return {{"capacity", json_number(memory.there.value())},
          {"activations", json_number(memory.activations.value())},
          {"usable", json_number(memory.usable.value())},
          {"weights", json_number(memory.weights.value())},
          {"process", json_number(memory.process.value())},
          {"kv_cache", json_number(memory.cache.value())},
          {"kv_cache_tokens", json_number(memory.cache_tokens.value())},
          {"sequences", json_number(memory.sequences.value())},
          {"longest_requests", json_number(memory.longest_held.value())}};
}

/// The same layout and load at datasheet peaks.
Json bound_json(const ServingAnswer& answer) {
  const ServingBound bound = bound_of(answer);
  return {{"class", "roofline bound"},
          {"binds", name_of(bound.binds)},
          {"tpot", json_if_any(bound.tpot.value())},
          {"tok_s_per_user", json_if_any(bound.user_rate.value())},
          {"output_tok_s_per_chip", json_if_any(bound.output_rate_per_chip.value())},
          {"cost", json_if_any(bound.cost.value())}};
}

void add_extras(Json& json, const ServingExtras& extras) {
  if (extras.pasted) json["ignored_flags"] = extras.ignored;
  if (!extras.commands.empty()) json["commands"] = commands_json(extras.commands);
}

}  // namespace

std::string serving_json(const ServingResult& result, const std::optional<NearestRun>& nearest,
                         const ServingExtras& extras) {
  Json json;
  json["schema"] = "ridge.serving/2";
  add_extras(json, extras);
  if (result.shortfall) {
    json["fits"] = false;
    json["layout"] = layout_json(result.shortfall->layout);
    json["memory"] = memory_json(result.shortfall->memory);
    json["ways_out"] = result.shortfall->ways_out;
    if (!result.shortfall->notes.empty()) json["notes"] = result.shortfall->notes;
    if (result.shortfall->most_requests > 0) json["max_requests_per_s"] = json_number(result.shortfall->most_requests);
    return dumped(json);
  }
  const ServingAnswer& answer = *result.answer;
  const ServingTimes<double>& t = answer.estimate.times;
  const double chips = answer.estimate.chips.value();
  json["fits"] = true;
  json["model"] = answer.question.scenario.model;
  json["machine"] = answer.question.scenario.machine;
  json["engine"] = answer.question.engine;
  json["isl"] = json_number(answer.question.isl);
  json["osl"] = json_number(answer.question.osl);
  json["cached"] = json_number(answer.question.cached);
  json["concurrency"] = json_number(answer.load.concurrency * answer.layout().replicas);
  json["layout"] = layout_json(answer.layout());
  json["memory"] = memory_json(answer.estimate.memory);
  json["class"] = answer.ground().extrapolated ? "calibrated, extrapolated" : "calibrated";
  json["tpot"] = json_if_any(t.tpot.value());
  json["ttft"] = answer.waits ? Json(nullptr) : json_number(t.ttft.value());
  json["ttft_queue"] = answer.waits ? Json(nullptr) : json_number(t.queue.value());
  json["prefill_time"] = json_number(t.prefill_alone.value());
  json["tok_s_per_user"] = json_if_any(answer.estimate.user_rate.value());
  json["output_tok_s"] = json_number(answer.estimate.output_rate.value());
  json["output_tok_s_per_chip"] = json_number(answer.estimate.output_rate.value() / chips);
  json["total_tok_s_per_chip"] = json_number(answer.estimate.total_rate.value() / chips);
  json["requests_per_s"] = json_number(t.requests.value() * answer.layout().replicas);
  json["output_cost"] = json_number(answer.estimate.output_cost.value());
  json["input_cost"] = json_number(answer.estimate.input_cost.value());
  json["assumed_price"] = assumes_price(answer);
  json["chips"] = json_number(answer.estimate.chips.value());
  json["intervals"] = intervals_json(answer);
  json["situation"] = situation_json(answer.errors.situation);
  json["mfu"] = json_number(answer.estimate.mfu.value());
  json["mbu"] = json_number(answer.estimate.mbu.value());
  json["energy_per_output_token"] =
      answer.estimate.energy.value() > 0 ? json_number(answer.estimate.energy.value()) : Json(nullptr);
  json["utilization"] = answer.question.rate ? json_number(answer.rate_share) : Json(nullptr);
  json["prefill_share"] = json_number(t.prefill_share.value());
  json["tokens_per_step"] = json_number(t.emitted.value());
  if (answer.question.disaggregated) {
    json["prefill_layout"] = layout_json(answer.deployment.prefill.layout);
    if (answer.deployment.prefill_elsewhere)
      json["prefill_machine"] = answer.deployment.prefill_elsewhere->machine->name;
    json["prefill_replicas"] = json_number(answer.estimate.prefill_replicas.value());
    json["transfer_time"] = json_number(answer.estimate.transfer_time.value());
  }
  Json parts;
  for (std::size_t i = 0; i < kStepParts; ++i) {
    parts[std::string(name_of(static_cast<StepPart>(i)))] = json_number(answer.estimate.step.part[i].value());
  }
  const bool decodes = answer.load.decodes();
  json["decode_step"] = nullptr;
  json[decodes ? "decode_step" : "prefill_step"] = {
      {"batch", json_number((decodes ? t.batch : t.prefills_per_step).value())},
      {"step_time", json_number(step_time(t, decodes).value())},
      {"parts", std::move(parts)},
      {"bound", json_number(answer.estimate.step.bound().value())},
      {"bound_best_routing", json_number(answer.estimate.step.strict().value())},
      {"bound_compute", json_number(answer.estimate.step.compute.value())},
      {"bound_memory", json_number(answer.estimate.step.memory.value())},
      {"bound_network", json_number(answer.estimate.step.network.value())}};
  json["bound"] = bound_json(answer);
  json["calibration"] = {{"chip", answer.ground().chip_from}, {"engine", answer.ground().engine_from}};
  if (nearest) {
    json["nearest_run"] = nearest_json(*nearest);
  }
  if (!answer.sensitivity.empty()) {
    for (const ServingElasticity& one : answer.sensitivity) {
      json["sensitivity"][one.input] = {{"tpot", decodes ? json_number(one.tpot) : Json(nullptr)},
                                        {"ttft", json_number(one.ttft)},
                                        {"requests_per_s", json_number(one.requests)}};
    }
    json["flips"] = flips_json(serving_flips(answer));
  }
  if (extras.near) {
    json["ttft_range"] = {
        {"capacity_error", TtftAtCapacities::kError},
        {"more_capacity", json_number(extras.near->more.value())},
        {"less_capacity", extras.near->saturated ? Json(nullptr) : json_number(extras.near->less.value())},
        {"several_fold", extras.near->is_several_fold()}};
  }
  if (extras.bounds) {
    for (std::size_t i = 0; i < kServingOutputs; ++i) {
      const Interval& one = (*extras.bounds)[i];
      if (!decodes && of_decode(serving_figure_info(i).key)) continue;
      json["ranges"][std::string(serving_figure_info(i).key)] = {json_number(one.low), json_number(one.high)};
    }
  }
  if (extras.derivation) json["derivation"] = derivation_json(traced_figures(answer));
  json["notes"] = answer.notes;
  return dumped(json);
}

}  // namespace ridge::report
