#include "calibrate/fit/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "calibrate/evidence/known.hpp"
#include "calibrate/fit/first_fit.hpp"
#include "calibrate/fit/ggml_fit.hpp"
#include "library/calibrations.hpp"

namespace ridge {

namespace {

Provenance fitted(const char* source) { return {source, Kind::derived}; }

std::string kernel_range(const std::vector<KernelCase>& cases, const std::string& chip) {
  std::set<std::string> classes;
  for (const KernelCase& one : cases) {
    if (one.row.chip == chip) classes.insert(std::string(name_of(one.row.kind)));
  }
  std::string text;
  for (const std::string& name : classes) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string serving_range(const std::vector<const RunCase*>& cases, const std::string& engine) {
  std::set<std::string> models, chips;
  double least = 1e9, most = 0;
  for (const RunCase* one : cases) {
    if (!engine.empty() && one->engine != engine) continue;
    models.insert(one->row->model);
    chips.insert(one->chip);
    least = std::min(least, one->row->concurrency);
    most = std::max(most, one->row->concurrency);
  }
  const auto listed = [](const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  return fmt::format("{} on {}, concurrency {:g} to {:g}", listed(models), listed(chips), least, most);
}

}  // namespace

Priors priors_of(const Library& library) {
  Priors priors;
  const CalibrationEntry* entry = find_calibration(library, "prior", "prior");
  if (entry == nullptr) return priors;
  for (const auto& [name, number] : entry->numbers) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      if (name == "serving_rows") priors.serving_rows = number.value;
      continue;
    }
    const std::string group = name.substr(0, dot);
    if (group.starts_with("ggml") || group == "training" || group == "framework" || group == "training_chip" ||
        group.starts_with("bridge") || group.starts_with("torchtitan") || group.starts_with("megatron"))
      continue;  // fitted apart
    if (group == "library") {
      priors.library[name.substr(dot + 1)] = {number.value, number.spread};
      continue;
    }
    auto& into = group == "chip"      ? priors.chip
                 : group == "kernel"  ? priors.kernel
                 : group == "engine"  ? priors.engine
                 : group == "harness" ? priors.harness
                                      : priors.step;
    into[name.substr(dot + 1)] = {number.value, number.spread};
  }
  return priors;
}

CalibrationSet kernels_set(const Library& library) {
  CalibrationSet set;
  set.kernel = kernels_alone(library);
  for (const Chip& chip : library.chips) set.chips[chip.name] = chip_alone(library, chip).value;
  const CalibrationEntry* harness = find_calibration(library, "harness", "harness");
  for (const auto& [name, number] : harness == nullptr ? std::map<std::string, FittedNumber>{} : harness->numbers) {
    const std::size_t dot = name.rfind('.');
    Harness& own = set.harness[name.substr(0, dot)];
    const std::string field = name.substr(dot + 1);
    (field == "extra"    ? own.extra
     : field == "launch" ? own.launch
     : field == "slope"  ? own.slope
                         : own.walk) = number.value;
  }
  return set;
}

CalibrationSet serving_set(const Library& library) {
  CalibrationSet set;
  set.kernel = kernels_in_step(library);
  for (const Chip& chip : library.chips) set.chips[chip.name] = chip_in_step(library, chip).value;
  for (const std::string& engine : engine_names(library)) {
    set.engines[engine] = engine_calibration(library, engine).value;
    for (const std::string& own : fresh_kernels_of(library, engine)) {
      set.fresh[engine + "." + own] = {fresh_time(library, engine, own).value(),
                                       fresh_token_time(library, engine, own).value()};
    }
  }
  return set;
}

RunCases serving_cases(const std::vector<ServingRow>& rows, const Library& library) {
  RunCases out;
  for (const ServingRow& row : rows) {
    std::string why;
    if (row.set != "inferencex" && row.set != "inferencemax" && row.set != "dynamo") {
      why = "not of the sets with a TPOT under a stated load";
    } else if (auto one = serving_case(row, library, why)) {
      out.cases.push_back(std::move(*one));
      continue;
    }
    ++out.left_out[why];
  }
  return out;
}

Result<std::vector<CalibrationEntry>> calibrate(const Evidence& evidence, const Library& library) {
  const Priors priors = priors_of(library);
  const KernelCases kernels = kernel_cases(evidence.kernels, library);
  const auto alone = fit_kernels(kernels.cases, library, priors);
  if (!alone) return fail(alone.error());
  std::vector<CalibrationEntry> entries;
  for (const auto& [name, chip] : alone->set.chips) {
    CalibrationEntry entry;
    entry.name = name;
    entry.title = find_named(library.chips, name)->title + ": kernels timed alone";
    entry.of = "chip";
    entry.range = kernel_range(kernels.cases, name);
    entry.from = fitted("ridge-fit-kernels");
    const ChipRates<double> rates{peaks_of(*find_named(library.chips, name), library), chip, alone->set.kernel};
    for (const KernelCase& one : kernels.cases) {
      if (one.row.chip != name) continue;
      const auto harness = alone->set.harness.find(harness_name(one.row));
      entry.error += std::abs(predict_kernel(one, rates, harness->second) / one.row.seconds - 1);
      entry.rows += 1;
    }
    entry.error /= entry.rows;
    entry.numbers = numbers_of(chip, alone->spread, name);
    entries.push_back(std::move(entry));
  }
  CalibrationEntry common;
  common.name = common.of = "kernels";
  common.title = "The way kernels are written, on all chips: timed alone";
  common.rows = static_cast<double>(alone->fit.rows);
  common.error = alone->fit.mean_error;
  common.from = fitted("ridge-fit-kernels");
  common.numbers = numbers_of(alone->set.kernel, alone->spread, "kernel");
  entries.push_back(common);
  CalibrationEntry harness;
  harness.name = harness.of = "harness";
  harness.title = "How the programs that timed kernels start them: never part of a step";
  harness.from = fitted("ridge-fit-kernels");
  for (const auto& [name, one] : alone->set.harness) {
    harness.numbers[name + ".extra"] = {one.extra, 0};
    harness.numbers[name + ".launch"] = {one.launch, 0};
    harness.numbers[name + ".slope"] = {one.slope, 0};
    const auto walks = [&](const KernelCase& row) { return may_quantize(row) && harness_name(row.row) == name; };
    if (std::any_of(kernels.cases.begin(), kernels.cases.end(), walks)) harness.numbers[name + ".walk"] = {one.walk, 0};
  }
  entries.push_back(harness);

  const RunCases serving = serving_cases(evidence.serving, library);
  std::vector<const RunCase*> cases;
  for (const RunCase& one : serving.cases) cases.push_back(&one);
  auto fit = fit_serving(cases, knowing(library, alone->set), priors);
  if (!fit) return fail(fit.error());
  const auto first = fit_first_time(cases, fit->set, priors, library, FirstLevels::simulated);
  if (!first) return fail(first.error());
  for (const FittedParameter& one : first->parameters) fit->spread[one.name] = one.spread;
  CalibrationEntry step;
  step.name = step.of = "step";
  step.title = "A chip inside a captured step over its kernels timed alone: the same on all chips";
  step.rows = static_cast<double>(cases.size());
  step.error = fit->fit.mean_error;
  step.range = serving_range(cases, "");
  step.from = fitted("ridge-fit-serving");
  step.numbers = numbers_of(with_fields<ChipCalibration<double>>(fit->ratios), fit->spread, "step");
  entries.push_back(step);
  common.name = "kernels-in-step";
  common.title = "The way kernels are written, on all chips: inside a captured step";
  common.rows = step.rows;
  common.error = step.error;
  common.range = step.range;
  common.from = fitted("ridge-fit-serving");
  common.numbers = numbers_of(fit->set.kernel, fit->spread, "kernel");
  entries.push_back(common);
  for (const auto& [name, chip] : fit->unmeasured) {
    CalibrationEntry entry;
    entry.name = name;
    entry.title = find_named(library.chips, name)->title + ": from serving runs alone";
    entry.of = "chip";
    entry.note = "nobody's kernels: the mean of the other chips, with one factor for shares and one for times";
    entry.from = fitted("ridge-fit-serving");
    for (const RunCase* one : cases) {
      if (one->chip != name) continue;
      entry.error += std::abs(predict_tpot(*one, fit->set) / one->row->tpot - 1);
      entry.rows += 1;
    }
    entry.error /= entry.rows;
    std::map<std::string, double> spread;
    for (const std::string& field : field_names<ChipCalibration<double>>()) {
      spread[name + "." + field] = fit->spread.at(name + (field.ends_with("_time") ? ".time" : ".share"));
    }
    entry.numbers = numbers_of(chip, spread, name);
    entries.push_back(std::move(entry));
  }
  for (const auto& [name, engine] : fit->set.engines) {
    CalibrationEntry entry;
    entry.name = name;
    entry.title = name;
    entry.of = "engine";
    entry.range = serving_range(cases, name);
    entry.from = fitted("ridge-fit-serving");
    for (const RunCase* one : cases) {
      if (one->engine != name) continue;
      entry.error += std::abs(predict_tpot(*one, fit->set) / one->row->tpot - 1);
      entry.rows += 1;
    }
    entry.error /= entry.rows;
    entry.numbers = numbers_of(engine, fit->spread, name);
    if (engine.expert_padding == Ratio<double>(0.0)) entry.numbers.erase("expert_padding");  // it captures no prompts
    double late = 0, judged = 0;
    for (const RunCase* one : cases) {
      if (one->engine != name || !has_ttft(*one, fit->set)) continue;
      late += std::abs(predict_ttft(*one, fit->set) / measured_ttft(*one->row) - 1);
      ++judged;
    }
    if (late > 0) entry.numbers["first_error"] = {late / judged, 0};
    for (const auto& [own, fresh] : fresh_of(fit->set, name)) {
      const std::string group = name + "." + own;
      entry.numbers[fresh_number_name(own, false)] = {fresh.first, fit->spread.at(group + ".fresh_time")};
      entry.numbers[fresh_number_name(own, true)] = {fresh.token, fit->spread.at(group + ".fresh_token_time")};
    }
    entries.push_back(std::move(entry));
  }
  auto ggml = fit_ggml(evidence.ggml, library);
  if (!ggml) return fail(ggml.error());
  for (CalibrationEntry& entry : *ggml) entries.push_back(std::move(entry));
  return entries;
}

}  // namespace ridge
