#include "calibrate/evidence/training_cases.hpp"

#include <algorithm>

#include "train/step/model_shape.hpp"
#include "train/step/training_step.ipp"

namespace ridge {

namespace {

Result<TrainingLayout> layout_of_row(const TrainingRow& row, const Model& model) {
  TrainingLayout layout;
  layout.tensor = row.tensor;
  layout.pipeline = row.pipeline;
  layout.context = row.context;
  layout.expert = row.expert;
  layout.expert_tensor = row.expert_tensor;
  layout.virtual_stages = row.virtual_stages;
  layout.micro_batch = row.micro_batch;
  layout.data = row.chips / (row.tensor * row.pipeline * row.context);
  layout.sharding = static_cast<Sharding>(static_cast<int>(row.zero));
  layout.shard_group = row.shard_group;
  layout.sequence_parallel = row.sequence_parallel;
  const auto recompute = parse_recompute(row.recompute, "recompute");
  if (!recompute) return fail(recompute.error());
  layout.recompute = *recompute;
  return checked(layout, model, row.sequence, row.global_batch);
}

}  // namespace

TrainingCases training_cases(const std::vector<TrainingRow>& rows, const Library& library,
                             const std::vector<NumbersEntry>& recipes) {
  TrainingCases out;
  std::map<std::string, const Model*> models;
  for (const TrainingRow& row : rows) {
    const Model*& model = models[row.model];
    if (model == nullptr && is_shape(row.model)) {
      auto made = model_of_shape(row.model, "model");
      if (!made) {
        ++out.left_out[made.error().front().what];
        continue;
      }
      out.shapes.push_back(std::move(*made));
      model = &out.shapes.back();
    } else if (model == nullptr) {
      model = find_named(library.models, row.model);
    }
    if (model == nullptr) {
      ++out.left_out["unknown model " + row.model];
      continue;
    }
    TrainingQuestion question;
    question.machine = row.machine;
    question.chips = row.chips;
    question.sequence = row.sequence;
    question.global_batch = row.global_batch * row.sequence;
    question.recipe = row.recipe;
    question.framework = row.framework;
    question.captured = row.captured;
    auto ground = training_ground(question, *model, library, recipes);
    const auto layout = layout_of_row(row, *model);
    if (!ground || !layout) {
      ++out.left_out[(ground ? layout.error() : ground.error()).front().what];
      continue;
    }
    TrainingCase one{.row = row,
                     .model = model,
                     .ground = std::move(*ground),
                     .layout = *layout,
                     .operations = {},
                     .stages = {},
                     .held = {}};
    if (row.scale_out > 0) one.ground.rates.peak.scale_out = BytesPerSecond<double>(row.scale_out);
    if (row.memory_rate > 0) one.ground.rates.peak.memory = BytesPerSecond<double>(row.memory_rate);
    MemoryHabits& habits = one.ground.habits;
    if (row.workspace > 0) {
      habits.workspace = Bytes<double>(row.workspace);
      habits.grouped = Bytes<double>(0.0);
    }
    habits.gathers_tokens = row.gathers_tokens;
    one.stages = stages_of(one.ground.shape, layout->pipeline);
    one.operations = training_operations(one.ground.shape, *layout, one.ground.fabric);
    for (const StageLayers& stage : one.stages) {
      const HeldParams held = held_params(*model, stage, *layout);
      if (held.dense + held.expert > one.held.dense + one.held.expert) one.held = held;
    }
    out.cases.push_back(std::move(one));
  }
  return out;
}

TrainingSet training_set(const Library& library) {
  TrainingSet set;
  for (const std::string& name : framework_names(library)) {
    const auto numbers = training_numbers(library, name, "framework");
    if (!numbers) continue;
    set.training = numbers->training;
    set.frameworks[name] = numbers->framework;
  }
  for (const Chip& chip : library.chips) set.chips[chip.name] = chip_in_training(library, chip.name).value();
  return set;
}

TrainingTimes<double> predict_training(const TrainingCase& one, const TrainingSet& set) {
  const auto framework = set.frameworks.find(one.row.framework);
  const auto chip = set.chips.find(one.ground.chip->name);
  const FrameworkCalibration<double> in_this_run =
      in_run(framework == set.frameworks.end() ? one.ground.numbers.framework : framework->second, *one.ground.chip,
             one.ground.captured);
  const TrainingRates<double> rates{training::in_training(one.ground.rates, set.training, in_this_run), set.training,
                                    in_this_run, Ratio<double>(chip == set.chips.end() ? 1.0 : chip->second)};
  return training_times(one.operations, one.stages, one.held, one.ground.recipe, rates, one.ground.load);
}

double timed(const TrainingTimes<double>& times, TimedStep what) {
  double forward = 0, backward = 0;
  for (const StagePass<double>& stage : times.stages) {
    forward += stage.forward.value();
    backward += stage.backward.value();
  }
  switch (what) {
    case TimedStep::forward:
      return forward;
    case TimedStep::backward:
      return backward;
    case TimedStep::optimizer:
      return times.part[static_cast<std::size_t>(TrainingPart::optimizer)].value();
    default:
      return times.step.value();
  }
}

double timed_step(const TrainingTimes<double>& times, const TrainingRow& row) {
  if (!(row.forward > 0)) return times.step.value();
  return timed(times, TimedStep::forward) + timed(times, TimedStep::backward) + timed(times, TimedStep::optimizer);
}

const StageMemory& measured_stage(const TrainingMemory& memory, const TrainingRow& row) {
  if (row.first_stage) return memory.stages.front();
  return row.last_stage ? memory.stages.back() : memory.worst();
}

bool is_memory_only(const TrainingCase& one) { return !(one.row.step > 0); }

}  // namespace ridge
