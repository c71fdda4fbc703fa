#include "report/base/json.hpp"
#include "report/train/training_views.hpp"

namespace ridge::report {

namespace {

Json verdict_json(const PipelineVerdict& one) {
  Json json = {{"machine", one.machine}, {"domain", json_count(one.domain)}, {"batch", json_count(one.batch)}};
  if (one.flat)
    json["without"] = {{"layout", short_name(one.flat->layout)}, {"step", json_number(one.flat->times.step.value())}};
  if (one.staged) {
    json["with"] = {{"layout", short_name(one.staged->layout)},
                    {"step", json_number(one.staged->times.step.value())},
                    {"micro_batches", json_count(one.staged->times.micro_batches)}};
  }
  json["gain"] = json_if_any(one.gain());
  return json;
}

}  // namespace

std::string phases_json(const PhasedAnswer& answer) {
  Json json;
  json["schema"] = "ridge.train.phases/1";
  json["fits"] = answer.fits;
  json["tokens"] = json_number(answer.tokens);
  json["seconds"] = json_number(answer.seconds);
  json["chip_hours"] = json_number(answer.chip_hours);
  json["dollars"] = json_if_any(answer.dollars);
  json["joules"] = json_if_any(answer.joules);
  json["phases"] = Json::array();
  for (std::size_t i = 0; i < answer.phases.size(); ++i) {
    const TrainingEstimate& e = answer.answers[i].estimate;
    json["phases"].push_back({{"sequence", json_count(answer.phases[i].sequence)},
                              {"global_batch", json_count(answer.phases[i].batch)},
                              {"tokens", json_number(answer.phases[i].tokens)},
                              {"layout", short_name(e.layout)},
                              {"fits", e.memory.fits()},
                              {"step", json_number(e.times.step.value())},
                              {"mfu", json_number(e.mfu())},
                              {"hfu", json_number(e.hfu())},
                              {"seconds", json_number(e.run.value())},
                              {"dollars", json_if_any(e.dollars.value())}});
  }
  return dumped(json);
}

std::string pipelining_json(const PipeliningArgument& argument, const TrainingGround& ground) {
  Json json;
  json["schema"] = "ridge.train.pipelining/1";
  json["model"] = ground.model->name;
  json["chips"] = json_count(ground.chips);
  json["serving"] = Json::array();
  for (const ServedStages& one : argument.served) {
    json["serving"].push_back({{"stages", json_count(one.stages)},
                               {"weights", json_number(one.weights.value())},
                               {"in_flight", json_count(one.in_flight)},
                               {"kv", json_number(one.kv.value())},
                               {"hops", json_count(one.hops)}});
  }
  json["domains"] = Json::array();
  for (const PipelineVerdict& one : argument.domains) json["domains"].push_back(verdict_json(one));
  json["generations"] = Json::array();
  for (const PipelineVerdict& one : argument.generations) json["generations"].push_back(verdict_json(one));
  return dumped(json);
}

std::string training_sensitivity_json(const std::vector<TrainingElasticity>& all) {
  Json json;
  json["schema"] = "ridge.train.sensitivity/1";
  json["sensitivity"] = Json::object();
  for (const TrainingElasticity& one : all)
    json["sensitivity"][one.input] = {{"step", json_number(one.step)}, {"cost", json_number(one.cost)}};
  return dumped(json);
}

std::string training_range_json(const std::array<Interval, 6>& bounds, const TrainingEstimate& here) {
  Json json;
  json["schema"] = "ridge.train.range/1";
  const auto values = training_figures(here);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    json["figures"][std::string(kTrainingFigures[i])] = {
        {"here", json_number(values[i])}, {"low", json_number(bounds[i].low)}, {"high", json_number(bounds[i].high)}};
  }
  return dumped(json);
}

std::string training_derivation_json(const std::vector<StepLine>& lines) {
  Json json;
  json["schema"] = "ridge.train.derivation/1";
  json["lines"] = Json::array();
  for (const StepLine& line : lines) {
    json["lines"].push_back({{"symbol", line.symbol},
                             {"formula", line.formula},
                             {"numbers", line.numbers},
                             {"value", json_number(line.value)}});
  }
  return dumped(json);
}

std::string rl_json(const RlStep& step) {
  Json json;
  json["schema"] = "ridge.train.rl/1";
  json["chips"] = json_count(step.chips);
  json["rollouts"] = json_count(step.rollouts);
  json["rollout_seconds"] = json_number(step.rollout().value());
  json["training_seconds"] = json_number(step.training.value());
  json["training_waits"] = json_number(step.training_waits());
  json["rollout_waits"] = json_number(step.rollout_waits());
  json["generating_chips"] = json_number(step.generating_chips());
  return dumped(json);
}

}  // namespace ridge::report
