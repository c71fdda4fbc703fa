#include "calibrate/fit/training_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "calibrate/evidence/calibration_set.hpp"
#include "calibrate/evidence/known.hpp"
#include "train/step/model_shape.hpp"
#include "train/step/training_step.ipp"

namespace ridge {

namespace {

constexpr std::string_view kCapturedExperts = "captured_experts";      // where steps are captured
constexpr std::string_view kAttentionProducts = "attention_products";  // where an engine has an old kernel
/// Fields of a framework that are fitted; the others say what it is.
constexpr std::array<std::string_view, 10> kFittedOfFramework = {
    "kernels",  "small",      "attention",         kAttentionProducts, "experts",
    "exchange", "layer_time", "expert_layer_time", kCapturedExperts,   "hop_time"};

/// Whether a field says anything of a framework.
bool is_of(std::string_view field, const FrameworkCalibration<double>& framework) {
  if (field == kCapturedExperts) return framework.captures.value() > 0;
  if (field == kAttentionProducts) return framework.attention_year.value() > 0 && !(framework.unfused.value() > 0);
  return true;
}

Result<TrainingLayout> layout_of(const TrainingRow& row, const Model& model) {
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

/// A time that was measured, and where the prediction stands.
enum class TimedStep { step, forward, backward, optimizer };
struct Target {
  const TrainingCase* of = nullptr;
  TimedStep what = TimedStep::step;
  double seconds = 0;
};

std::vector<Target> targets_of(const std::vector<const TrainingCase*>& cases) {
  std::vector<Target> out;
  for (const TrainingCase* one : cases) {
    const TrainingRow& row = one->row;
    if (row.forward > 0) {
      out.push_back({one, TimedStep::forward, row.forward});
      out.push_back({one, TimedStep::backward, row.backward});
      out.push_back({one, TimedStep::optimizer, row.optimizer});
    } else if (row.step > 0) {
      out.push_back({one, TimedStep::step, row.step});
    }
  }
  return out;
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

/// The step as its clock saw it: one that was timed in parts has nothing between them.
double timed_step(const TrainingTimes<double>& times, const TrainingRow& row) {
  if (!(row.forward > 0)) return times.step.value();
  return timed(times, TimedStep::forward) + timed(times, TimedStep::backward) + timed(times, TimedStep::optimizer);
}

struct TrainingPriors {
  std::map<std::string, FittedNumber> numbers;
  FittedNumber of(const std::string& name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? FittedNumber{1, 0.5} : found->second;
  }
};

TrainingPriors training_priors(const Library& library) {
  const CalibrationEntry* entry = find_calibration(library, "prior", "prior");
  return {entry == nullptr ? std::map<std::string, FittedNumber>{} : entry->numbers};
}

/// A framework's own prior where the catalog has one ("megatron-2025.expert_layer_time"), else that of all.
FittedNumber framework_prior(const TrainingPriors& priors, const std::string& framework, std::string_view field) {
  const std::string own = framework + "." + std::string(field);
  if (priors.numbers.contains(own)) return priors.of(own);
  return priors.of("framework." + std::string(field));
}

template <class C>
void set_field(C& calibration, std::string_view wanted, double value) {
  C::visit_fields(calibration, [&](std::string_view name, auto& field) {
    if (name == wanted) field = std::remove_reference_t<decltype(field)>(value);
  });
}

constexpr std::string_view kChipPrefix = "training-";

TrainingSet set_from(const std::vector<FitParameter>& parameters, const std::vector<double>& values, TrainingSet set) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    const std::size_t dot = name.rfind('.');  // releases have dots of their own
    if (dot == std::string::npos) {
      set_field(set.training, name, values[i]);
    } else if (name.starts_with(kChipPrefix)) {
      set.chips[name.substr(kChipPrefix.size(), dot - kChipPrefix.size())] = values[i];
    } else {
      set_field(set.frameworks[name.substr(0, dot)], name.substr(dot + 1), values[i]);
    }
  }
  return set;
}

/// The stage whose chips reported what they hold.
const StageMemory& measured_stage(const TrainingMemory& memory, const TrainingRow& row) {
  if (row.first_stage) return memory.stages.front();
  return row.last_stage ? memory.stages.back() : memory.worst();
}

bool is_memory_only(const TrainingCase& one) { return !(one.row.step > 0); }

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
    const auto layout = layout_of(row, *model);
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

Result<TrainingFit> fit_training(const std::vector<const TrainingCase*>& cases, const Library& library) {
  const std::vector<Target> targets = targets_of(cases);
  const TrainingPriors priors = training_priors(library);
  TrainingFit out;
  out.set = training_set(library);
  std::vector<FitParameter> parameters;
  for (const std::string& name : field_names<TrainingCalibration<double>>()) {
    const FittedNumber prior = priors.of("training." + name);
    parameters.push_back({name, prior.value, prior.spread});
  }
  for (const TrainingCase* one : cases) {
    if (!(one->row.step > 0)) continue;
    ++out.rows[one->row.framework];
    ++out.chip_rows[one->ground.chip->name];
  }
  for (auto& [name, ratio] : out.set.chips) ratio = 1;
  for (const auto& [name, rows] : out.chip_rows) {
    const FittedNumber prior = priors.of("training_chip.kernels");
    parameters.push_back({std::string(kChipPrefix) + name + ".kernels", prior.value, prior.spread});
  }
  for (const auto& [framework, rows] : out.rows) {
    for (const std::string_view field : kFittedOfFramework) {
      if (!is_of(field, out.set.frameworks[framework])) continue;
      const FittedNumber prior = framework_prior(priors, framework, field);
      parameters.push_back({framework + "." + std::string(field), prior.value, prior.spread});
    }
  }
  // what no row speaks of stays at its prior
  for (auto& [name, framework] : out.set.frameworks) {
    for (const std::string_view field : kFittedOfFramework) {
      set_field(framework, field, is_of(field, framework) ? framework_prior(priors, name, field).value : 0);
    }
  }
  std::vector<double> measured, weights;
  for (const Target& target : targets) {
    measured.push_back(target.seconds);
    // one run timed in three parts counts as one
    weights.push_back(target.what == TimedStep::step ? 1.0 : 1.0 / 3);
  }
  const TrainingSet start = out.set;
  const Predict predict = [&](const std::vector<double>& values, std::vector<double>& predicted) {
    const TrainingSet set = set_from(parameters, values, start);
    const TrainingCase* last = nullptr;
    TrainingTimes<double> times;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i].of != last) times = predict_training(*targets[i].of, set);
      last = targets[i].of;
      predicted[i] = std::max(1e-9, timed(times, targets[i].what));
    }
  };
  auto fit = fit_parameters(parameters, measured, weights, predict, 2);
  if (!fit) return fail(fit.error());
  std::vector<double> values;
  for (const FittedParameter& one : fit->parameters) values.push_back(one.value);
  out.set = set_from(parameters, values, start);
  out.fit = std::move(*fit);
  return out;
}

Result<std::map<std::string, std::vector<FittedParameter>>> fit_training_memory(
    const std::vector<const TrainingCase*>& cases) {
  constexpr std::size_t kEnough = 10;
  std::map<std::string, std::vector<const TrainingCase*>> by;
  for (const TrainingCase* one : cases) {
    if (one->row.peak > 0) by[one->row.framework].push_back(one);
  }
  std::map<std::string, std::vector<FittedParameter>> out;
  for (const auto& [framework, rows] : by) {
    if (rows.size() < kEnough) continue;
    std::vector<double> measured, weights(rows.size(), 1.0);
    for (const TrainingCase* one : rows) measured.push_back(one->row.peak);
    const Predict predict = [&peaks = by.at(framework)](const std::vector<double>& values,
                                                        std::vector<double>& predicted) {
      for (std::size_t i = 0; i < peaks.size(); ++i) {
        const TrainingCase& one = *peaks[i];
        MemoryHabits habits = one.ground.habits;
        habits.kept = Ratio<double>(values[0]);
        habits.logits = Ratio<double>(values[1]);
        const TrainingMemory memory =
            training_memory(*one.model, one.stages, one.layout, one.ground.recipe, one.ground.load, habits);
        predicted[i] = measured_stage(memory, one.row).peak().value();
      }
    };
    auto fit = fit_parameters({{"kept", 1.05, 0.3}, {"logit_bytes", 10, 0.5}}, measured, weights, predict);
    if (!fit) return fail(fit.error());
    out[framework] = fit->parameters;
  }
  return out;
}

std::vector<CalibrationEntry> training_entries(const TrainingFit& fit, const Library& library) {
  std::map<std::string, double> spread;
  for (const FittedParameter& one : fit.fit.parameters) spread[one.name] = one.spread;
  std::vector<CalibrationEntry> out;
  const auto entry_of = [&](std::string_view of, const std::string& name) {
    const CalibrationEntry* known = find_calibration(library, of, name);
    CalibrationEntry entry;
    if (known != nullptr) entry = *known;
    entry.name = name;
    entry.of = of;
    entry.note.clear();
    entry.from.source = "ridge-fit-training";
    return entry;
  };
  CalibrationEntry training = entry_of("training", "training");
  double rows = 0;
  for (const auto& [name, count] : fit.rows) rows += count;
  training.rows = rows;
  training.error = fit.fit.mean_error;
  TrainingCalibration<double>::visit_fields(fit.set.training, [&](std::string_view name, const auto& field) {
    training.numbers[std::string(name)] = {field.value(), spread[std::string(name)]};
  });
  out.push_back(std::move(training));
  for (const auto& [name, count] : fit.chip_rows) {
    CalibrationEntry entry = entry_of("training chip", std::string(kChipPrefix) + name);
    entry.title = find_named(library.chips, name)->title + ": kernels of a long run";
    entry.rows = count;
    entry.error = fit.fit.mean_error;
    entry.numbers["kernels"] = {fit.set.chips.at(name), spread[entry.name + ".kernels"]};
    out.push_back(std::move(entry));
  }
  for (const auto& [name, framework] : fit.set.frameworks) {
    CalibrationEntry entry = entry_of("framework", name);
    const auto found = fit.rows.find(name);
    entry.rows = found == fit.rows.end() ? 0 : found->second;
    entry.error = fit.fit.mean_error;
    FrameworkCalibration<double>::visit_fields(framework, [&](std::string_view field, const auto& value) {
      if (value.value() > 0)
        entry.numbers[std::string(field)] = {value.value(), spread[name + "." + std::string(field)]};
    });
    out.push_back(std::move(entry));
  }
  return out;
}

TrainingLine error_line(std::string group, std::string name, const std::vector<TrainingError>& errors) {
  TrainingLine line{std::move(group), std::move(name), static_cast<double>(errors.size()), 0, 0, 0};
  for (const TrainingError& one : errors) {
    line.mean += std::abs(one.ratio());
    line.bias += one.ratio();
    line.worst = std::max(line.worst, std::abs(one.ratio()));
  }
  if (!errors.empty()) {
    line.mean /= line.rows;
    line.bias /= line.rows;
  }
  return line;
}

namespace {

template <class Key>
void add_lines(std::vector<TrainingLine>& lines, const std::string& group, const std::vector<TrainingError>& errors,
               const Key& key) {
  std::map<std::string, std::vector<TrainingError>> by;
  for (const TrainingError& one : errors) by[key(*one.of)].push_back(one);
  for (const auto& [name, some] : by) lines.push_back(error_line(group, name, some));
}

std::string shown_model(const TrainingCase& one) {
  return is_shape(one.row.model) ? fmt::format("shape of {:.3g}B", count_parameters(*one.model).total() / 1e9)
                                 : one.row.model;
}

/// Everything that a prediction knows of a row.
std::string asked_of_row(const TrainingRow& row) {
  return fmt::format("{} {} {} {} {} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g}", row.model, row.machine,
                     row.recipe, row.framework, row.recompute, row.chips, row.global_batch, row.micro_batch,
                     row.sequence, row.tensor, row.pipeline, row.context, row.expert, row.expert_tensor,
                     row.virtual_stages, row.zero);
}

/// Rows that say the same of themselves and were measured more than once, each against the median of its kin: no
/// prediction can be better than this.
TrainingLine noise_floor(const TrainingCases& cases) {
  std::map<std::string, std::vector<const TrainingCase*>> by;
  for (const TrainingCase& one : cases.cases) {
    if (one.row.step > 0) by[asked_of_row(one.row)].push_back(&one);
  }
  std::vector<TrainingError> errors;
  for (const auto& [asked, kin] : by) {
    if (kin.size() < 2) continue;
    std::vector<double> steps;
    for (const TrainingCase* one : kin) steps.push_back(one->row.step);
    std::sort(steps.begin(), steps.end());
    const double median = (steps[(steps.size() - 1) / 2] + steps[steps.size() / 2]) / 2;
    for (const TrainingCase* one : kin) errors.push_back({one, median, one->row.step});
  }
  return error_line("noise floor", "the same run measured again", errors);
}

/// Rows that other tools are judged by: all of them, and those that were not fitted here.
std::vector<TrainingLine> lines_of_others(const TrainingCases& cases, const TrainingSet& set) {
  std::vector<TrainingError> all, unseen;
  for (const TrainingCase& one : cases.cases) {
    if (one.row.set != "train-seqpar" || !(one.row.step > 0)) continue;
    all.push_back({&one, timed_step(predict_training(one, set), one.row), one.row.step});
    if (one.row.half == "judge") unseen.push_back(all.back());
  }
  return {error_line("rows of Calculon (it says 3.65%)", "all that are here", all),
          error_line("rows of Calculon (it says 3.65%)", "of them, not fitted here", unseen)};
}

}  // namespace

TrainingValidation validate_training(const TrainingCases& cases, const Library& library) {
  TrainingValidation out;
  const TrainingSet set = training_set(library);
  std::vector<TrainingError> forward, backward, kept, state, peak;
  for (const TrainingCase& one : cases.cases) {
    const TrainingRow& row = one.row;
    if (row.half != "judge") continue;
    if (row.step > 0) {
      const auto times = predict_training(one, set);
      out.steps.push_back({&one, timed_step(times, row), row.step});
      if (row.forward > 0) forward.push_back({&one, timed(times, TimedStep::forward), row.forward});
      if (row.backward > 0) backward.push_back({&one, timed(times, TimedStep::backward), row.backward});
    }
    TrainingMemory memory =
        training_memory(*one.model, one.stages, one.layout, one.ground.recipe, one.ground.load, one.ground.habits);
    memory.capacity = one.ground.capacity;
    memory.reserve = one.ground.reserve;
    const StageMemory& worst = measured_stage(memory, row);
    const bool alone = row.chips == 1 && row.forward > 0;  // gradients are freed between steps there
    const MemoryHabits& habits = one.ground.habits;
    if (row.kept > 0) {
      const Bytes<double> logits = worst[MemoryTerm::logits] * (habits.logits_kept / habits.logits);
      kept.push_back({&one, (worst[MemoryTerm::activations] + logits).value(), row.kept});
    }
    double most = 0;
    for (const StageMemory& stage : memory.stages)
      if (!(row.last_stage || row.first_stage) || &stage == &worst)
        most = std::max(most, (stage.state() + stage.held_buffers).value());
    if (row.state > 0)
      state.push_back({&one, alone ? (worst.state() - worst[MemoryTerm::gradients]).value() : most, row.state});
    const Bytes<double> margin = row.reserved ? memory.margin : Bytes<double>(0.0);
    if (row.peak > 0) peak.push_back({&one, (worst.peak() + margin).value(), row.peak});
    if (row.set == "train-ultrascale") {
      const bool fits = memory.fits();
      ++(row.failed ? out.crashed : out.worked);
      if (row.failed && !fits) ++out.flagged;
      if (!row.failed && fits) ++out.accepted;
    }
  }
  const auto of_kind = [&](const char* kind) {
    std::vector<TrainingError> some;
    for (const TrainingError& one : out.steps) {
      if (one.of->row.kind == kind && one.of->row.set != "train-vtrain") some.push_back(one);
    }
    out.lines.push_back(error_line("step time", kind, some));
  };
  for (const char* kind : {"dense", "moe", "hybrid"}) of_kind(kind);
  add_lines(out.lines, "by source", out.steps, [](const TrainingCase& one) { return one.row.set; });
  std::vector<TrainingError> multi;
  for (const TrainingError& one : out.steps) {
    if (one.of->row.set == "train-vtrain" && one.of->row.chips > 8) multi.push_back(one);
  }
  out.lines.push_back(error_line("by source", "train-vtrain, several nodes", multi));
  add_lines(out.lines, "by chip", out.steps, [](const TrainingCase& one) { return one.ground.chip->name; });
  add_lines(out.lines, "by framework and generation", out.steps,
            [](const TrainingCase& one) { return one.row.framework; });
  add_lines(out.lines, "by context parallelism", out.steps, [](const TrainingCase& one) {
    return one.row.context > 1 ? std::string("sequences divided") : std::string("sequences whole");
  });
  add_lines(out.lines, "by recipe", out.steps, [](const TrainingCase& one) { return one.row.recipe; });
  out.lines.push_back(noise_floor(cases));
  for (TrainingLine& line : lines_of_others(cases, set)) out.lines.push_back(std::move(line));
  out.lines.push_back(error_line("one H200", "forward", forward));
  out.lines.push_back(error_line("one H200", "backward", backward));
  out.lines.push_back(error_line("memory", "kept activations (one H200)", kept));
  add_lines(out.lines, "state", state, [](const TrainingCase& one) { return one.row.set; });
  add_lines(out.lines, "peak", peak, [](const TrainingCase& one) { return one.row.set; });
  out.figures = {{"step_s", out.steps}, {"forward_s", forward}, {"backward_s", backward},
                 {"kept_bytes", kept},  {"state_bytes", state}, {"peak_bytes", peak}};
  return out;
}

Result<std::vector<TrainingLine>> leave_out_training(const TrainingCases& cases, const Library& library, bool chips) {
  const auto key = [&](const TrainingCase& one) { return chips ? one.ground.chip->name : shown_model(one); };
  std::set<std::string> names;
  std::map<std::string, std::size_t> rows;
  for (const TrainingCase& one : cases.cases) {
    if (is_memory_only(one) || one.row.set == "train-vtrain") continue;
    names.insert(key(one));
  }
  std::vector<TrainingError> all;
  std::deque<TrainingSet> kept;
  for (const std::string& name : names) {
    std::vector<const TrainingCase*> others, out;
    for (const TrainingCase& one : cases.cases) {
      if (is_memory_only(one) || one.row.set == "train-vtrain") continue;
      (key(one) == name ? out : others).push_back(&one);
    }
    if (others.empty()) continue;
    const auto fit = fit_training(others, library);
    if (!fit) return fail(fit.error());
    for (const TrainingCase* one : out)
      all.push_back({one, timed_step(predict_training(*one, fit->set), one->row), one->row.step});
  }
  std::vector<TrainingLine> lines;
  const std::string group = chips ? "chip left out" : "model left out";
  for (const char* kind : {"dense", "moe", "hybrid"}) {
    std::vector<TrainingError> some;
    for (const TrainingError& one : all) {
      if (one.of->row.kind == kind) some.push_back(one);
    }
    lines.push_back(error_line(group, kind, some));
  }
  add_lines(lines, group, all, key);
  return lines;
}

}  // namespace ridge
