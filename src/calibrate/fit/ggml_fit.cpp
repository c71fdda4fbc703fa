#include "calibrate/fit/ggml_fit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/evidence/calibration_set.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "library/calibrations.hpp"
#include "library/engines.hpp"
#include "serve/step/step_formats.hpp"
#include "serve/step/step_shape.hpp"

namespace ridge {

namespace {

constexpr std::string_view kLocalEngine = "llama.cpp";

/// A CPU with so many of its threads at work: the units go with them, the memory is shared.
Chip with_threads(Chip chip, double threads) {
  const double share = std::min(1.0, threads / chip.threads);
  for (auto& [format, rate] : chip.matmul) rate.value = rate.value * share;
  if (chip.vector) chip.vector->value = chip.vector->value * share;
  return chip;
}

/// The load of a step; lengths in blocks, as the kernels see them.
StepLoad<double> load_of(const GgmlRow& row) {
  StepLoad<double> load;
  load.decodes = row.phase == "decode";
  load.prefills = !load.decodes;
  load.sequences = Ratio<double>(row.batch);
  load.new_tokens = Ratio<double>(1.0);
  // a step adds half a block on average; here the length is known
  constexpr double kBlock = GgmlSwitches::kCacheBlock;
  const double blocks = std::max(1.0, std::ceil(row.context / kBlock));
  load.context = Tokens<double>((blocks - 0.5) * kBlock);
  load.prompts = load.prefills_in_group = Ratio<double>(row.batch);
  load.prompt_tokens = Ratio<double>(row.tokens);
  load.prompt_context = Tokens<double>(row.context);
  return load;
}

/// The calibration's fields in their order, then the engine's step.
std::vector<FitParameter> ggml_priors(const Library& library, const std::string& group) {
  std::vector<FitParameter> out;
  const CalibrationEntry* entry = find_calibration(library, "prior", "prior");
  std::vector<std::string> names = field_names<GgmlCalibration>();
  names.emplace_back("step_time");
  for (const std::string& name : names) {
    FitParameter one{name, 1, 1};
    if (entry != nullptr) {
      if (const auto found = entry->numbers.find(group + "." + name); found != entry->numbers.end())
        one = {name, found->second.value, found->second.spread};
    }
    out.push_back(one);
  }
  return out;
}

double mean_error(const std::vector<GgmlCase>& cases, const std::vector<double>& values) {
  const auto numbers = with_fields<GgmlCalibration>(std::span(values).first(values.size() - 1));
  double sum = 0;
  for (const GgmlCase& one : cases) sum += std::abs(predict_ggml(one, numbers, values.back()) / one.row.seconds - 1);
  return cases.empty() ? 0 : sum / static_cast<double>(cases.size());
}

}  // namespace

std::optional<GgmlCase> ggml_case(const GgmlRow& row, const Library& library) {
  const Model* model = find_named(library.models, row.model);
  const Chip* found = find_named(library.chips, row.chip);
  if (model == nullptr || found == nullptr) return {};
  const Chip chip = row.threads > 0 && found->threads > 0 ? with_threads(*found, row.threads) : *found;
  const FormatChoice choice{row.format.empty() ? std::nullopt : std::optional(row.format), {}, "f16"};
  const auto formats = step_formats(*model, library, chip, choice);
  if (!formats) return {};
  StepShape shape = shape_of(*model, *formats);
  shape.ggml = ggml_kernels(library, chip, row.ubatch);
  const Engine& facts = *find_engine(library, kLocalEngine).facts;
  GgmlCase out{row, {}, {peaks_of(chip, nullptr), chip_in_step(library, chip).value, kernels_in_step(library)}};
  out.batch = std::max(row.ubatch, facts.scheduler.token_budget.value.value);
  lay_out_step(shape, Layout{}, Fabric{}, out.plan);
  return out;
}

double predict_ggml(const GgmlCase& one, const GgmlCalibration& numbers, double step_time) {
  StepOperations plan = one.plan;
  plan.ggml->numbers = numbers;
  if (one.row.phase == "sample")
    return ggml_sampling_time<double>(*plan.ggml, plan.vocabulary, Ratio<double>(one.row.batch)).value();
  const double batches = one.row.phase == "decode" ? 1 : std::ceil(one.row.tokens * one.row.batch / one.batch);
  return overlapped_step(plan, one.rates, load_of(one.row), Overlap::none).value() + batches * step_time;
}

double predict_ggml(const GgmlCase& one, const Library& library) {
  const double step = engine_calibration(library, kLocalEngine).value.step_time.value();
  return predict_ggml(one, one.plan.ggml->numbers, step);
}

Result<std::vector<CalibrationEntry>> fit_ggml(const std::vector<GgmlRow>& rows, const Library& library) {
  std::vector<CalibrationEntry> entries;
  for (const bool cpu : {false, true}) {
    const std::string name = cpu ? "ggml-cpu" : "ggml-gpu";
    std::vector<GgmlCase> fitted, judged;
    CalibrationEntry entry;
    for (const GgmlRow& row : rows) {
      const Chip* chip = find_named(library.chips, row.chip);
      if (chip == nullptr || chip->is_cpu != cpu) continue;
      auto one = ggml_case(row, library);
      if (!one) continue;
      if (row.half == "fit") entry.measured = row.chip;
      (row.half == "fit" ? fitted : judged).push_back(std::move(*one));
    }
    std::erase_if(judged, [&](const GgmlCase& one) { return one.row.chip != entry.measured; });
    if (fitted.empty()) continue;
    const std::vector<FitParameter> priors = ggml_priors(library, name);
    std::vector<double> measured, weights(fitted.size(), 1.0);
    for (const GgmlCase& one : fitted) measured.push_back(one.row.seconds);
    const auto fit = fit_parameters(
        priors, measured, weights, [&](const std::vector<double>& values, std::vector<double>& predicted) {
          const auto numbers = with_fields<GgmlCalibration>(std::span(values).first(values.size() - 1));
          for (std::size_t i = 0; i < fitted.size(); ++i)
            predicted[i] = predict_ggml(fitted[i], numbers, values.back());
        });
    if (!fit) return fail(fit.error());
    std::vector<double> values;
    for (const FittedParameter& one : fit->parameters) values.push_back(one.value);
    entry.name = name;
    entry.title = cpu ? "ggml's kernels on a CPU" : "ggml's kernels on a GPU";
    entry.of = "ggml";
    entry.rows = static_cast<double>(fit->rows);
    entry.error = mean_error(judged, values);
    entry.note = fmt::format("the error is that of {} rows that were not fitted", judged.size());
    entry.from = {"ridge-fit-ggml", Kind::derived};
    for (const FittedParameter& one : fit->parameters) entry.numbers[one.name] = {one.value, one.spread};
    if (!cpu) {
      CalibrationEntry engine;
      engine.name = engine.title = kLocalEngine;
      engine.of = "local engine";
      engine.rows = entry.rows;
      engine.error = entry.error;
      engine.note = "around a step; sampling is among the kernels' numbers, first_time is assumed";
      engine.from = entry.from;
      engine.numbers["step_time"] = entry.numbers.at("step_time");
      engine.numbers["prefill_factor"] = {1, 0};
      const CalibrationEntry* before = find_calibration(library, engine.of, engine.name);  // nothing here speaks of it
      if (before != nullptr && before->numbers.contains("first_time"))
        engine.numbers["first_time"] = before->numbers.at("first_time");
      entries.push_back(engine);
    }
    entry.numbers.erase("step_time");
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace ridge
