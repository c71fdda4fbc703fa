#include "report/base/json.hpp"
#include "report/train/training_text.hpp"

namespace ridge::report {

namespace {

Json layout_json(const TrainingLayout& layout) {
  return {{"name", short_name(layout)},
          {"tp", json_count(layout.tensor)},
          {"pp", json_count(layout.pipeline)},
          {"cp", json_count(layout.context)},
          {"dp", json_count(layout.data)},
          {"ep", json_count(layout.expert)},
          {"etp", json_count(layout.expert_tensor)},
          {"vp", json_count(layout.virtual_stages)},
          {"micro_batch", json_count(layout.micro_batch)},
          {"schedule", std::string(train::word_of(schedule_of(layout)))},
          {"zero", static_cast<int>(layout.sharding)},
          {"shard_group", json_if_any(layout.shard_group)},
          {"offload", name_of(layout.offload)},
          {"sequence_parallel", layout.sequence_parallel},
          {"recompute", name_of(layout.recompute)}};
}

Json training_memory_json(const TrainingMemory& memory) {
  Json stages = Json::array();
  for (const StageMemory& stage : memory.stages) {
    Json one = {{"stage", json_count(stage.stage)},
                {"params", json_number(stage.params)},
                {"live_micro_batches", json_number(stage.live)}};
    for (std::size_t i = 0; i < kMemoryTerms; ++i)
      one[std::string(name_of(static_cast<MemoryTerm>(i)))] = json_number(stage.term[i].value());
    one["state"] = json_number(stage.state().value());
    one["host"] = json_number(stage.host.value());
    one["peak"] = json_number(stage.peak().value());
    Json kept = Json::object();
    for (std::size_t i = 0; i < kKeptModules; ++i)
      kept[std::string(name_of(static_cast<KeptModule>(i)))] = json_number(stage.kept[i].value());
    one["kept_by_module"] = std::move(kept);
    stages.push_back(std::move(one));
  }
  return {{"fits", memory.fits()},
          {"needed", json_number(memory.needed().value())},
          {"capacity", json_number(memory.capacity.value())},
          {"process", json_number(memory.reserve.value())},
          {"fragmentation", json_number(memory.margin.value())},
          {"fullest_stage", json_count(memory.worst().stage)},
          {"largest_term", std::string(name_of(largest_term(memory.worst())))},
          {"moment", std::string(memory.worst().moment)},
          {"stages", std::move(stages)}};
}

Json estimate_json(const TrainingEstimate& e) {
  Json json;
  json["layout"] = layout_json(e.layout);
  json["step"] = json_number(e.times.step.value());
  json["parts"] = Json::object();
  for (std::size_t i = 0; i < kTrainingParts; ++i)
    json["parts"][std::string(name_of(static_cast<TrainingPart>(i)))] = json_number(e.times.part[i].value());
  json["micro_batches"] = json_count(e.times.micro_batches);
  json["bubble"] = json_number(e.times.bubble.value());
  json["tokens_per_second_per_chip"] = json_number(e.rate.value());
  json["batch_tokens"] = json_count(e.batch_tokens);
  json["flop_per_token"] = Json::object();
  json["utilization"] = Json::object();
  for (const FlopConvention convention : kFlopConventions) {
    const auto i = static_cast<std::size_t>(convention);
    json["flop_per_token"][std::string(name_of(convention))] = json_number(e.flops.per_token[i]);
    json["utilization"][std::string(name_of(convention))] = json_number(e.utilization[i]);
  }
  json["mfu"] = json_number(e.mfu());
  json["hfu"] = json_number(e.hfu());
  json["seconds"] = json_if_any(e.run.value());
  json["chip_hours"] = json_if_any(e.chip_hours);
  json["dollars"] = json_if_any(e.dollars.value());
  json["joules"] = json_if_any(e.energy.value());
  return json;
}

}  // namespace

std::string training_json(const TrainingAnswer& answer) {
  const TrainingGround& ground = answer.ground;
  Json json;
  json["schema"] = "ridge.train/1";
  json["model"] = ground.model->name;
  json["machine"] = ground.machine->name;
  json["chips"] = json_count(ground.chips);
  json["tokens"] = json_if_any(ground.tokens);
  json["sequence"] = json_count(ground.load.sequence);
  json["global_batch"] = json_count(ground.load.batch * ground.load.sequence);
  json["recipe"] = ground.recipe.name;
  json["framework"] = ground.framework;
  json["captured"] = ground.captured;
  json["calibration"] = ground.numbers.from;
  json["extrapolated"] = ground.borrowed;
  json["searched"] = answer.searched;
  if (answer.searched) {
    json["considered"] = json_count(answer.search.considered);
    json["evaluated"] = json_count(answer.search.evaluated);
    json["simulated"] = json_count(answer.search.simulated);
    json["reason"] = answer.reason;
    json["would_change"] = answer.would_change;
    if (answer.search.runner_up) json["runner_up"] = estimate_json(*answer.search.runner_up);
  }
  json["estimate"] = estimate_json(answer.estimate);
  json["memory"] = training_memory_json(answer.estimate.memory);
  json["ways_out"] = Json::array();
  for (const WayOut& way : answer.ways_out) {
    json["ways_out"].push_back({{"change", way.change},
                                {"step", json_number(way.estimate.times.step.value())},
                                {"needed", json_number(way.estimate.memory.needed().value())}});
  }
  json["frontier"] = Json::array();
  for (const FrontierPoint& point : answer.frontier) {
    Json one = estimate_json(point.estimate);
    one["chips"] = json_count(point.chips);
    json["frontier"].push_back(std::move(one));
  }
  json["schedules"] = Json::array();
  for (const SimulatedPipeline& one : answer.pipelines) {
    json["schedules"].push_back({{"schedule", one.schedule},
                                 {"makespan", json_number(one.makespan.value())},
                                 {"bubble", json_number(one.bubble.value())},
                                 {"live_micro_batches", json_number(one.live)}});
  }
  json["recompute_choices"] = Json::array();
  for (const RecomputeChoice& one : answer.choices) {
    json["recompute_choices"].push_back({{"recompute", name_of(one.policy)},
                                         {"step", json_number(one.step.value())},
                                         {"activations", json_number(one.kept.value())},
                                         {"needed", json_number(one.needed.value())},
                                         {"fits", one.fits}});
  }
  json["commands"] = Json::array();
  for (const TrainingCommand& command : answer.commands)
    json["commands"].push_back({{"framework", command.framework},
                                {"command", command.text},
                                {"exact", command.exact},
                                {"notes", command.notes}});
  json["notes"] = ground.notes;
  return dumped(json);
}

}  // namespace ridge::report
