#include "calibrate/fit/training_fit.hpp"

#include <algorithm>
#include <array>

#include "calibrate/evidence/calibration_set.hpp"
#include "calibrate/evidence/known.hpp"

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

/// What is fitted.
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

}  // namespace

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

}  // namespace ridge
