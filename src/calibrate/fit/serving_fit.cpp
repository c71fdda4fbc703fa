#include "calibrate/fit/serving_fit.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/evidence/known.hpp"
#include "library/calibrations.hpp"
#include "serve/estimate.hpp"

namespace ridge {

namespace {

bool is_time(std::string_view field) { return field.ends_with("_time"); }

/// Of the requests in flight, those that decode: the others wait for or are in the pool of the prompts. By Little's law
/// their share is that of the time a request spends decoding, as measured.
double decoding_of(const ServingRow& row) {
  const double decoding = row.tpot * (row.osl * row.length_mean - 1);
  return row.concurrency * decoding / (row.ttft + decoding);
}

}  // namespace

std::string engine_of(const ServingRow& row) {
  if (row.engine == "trtllm" && row.version.starts_with("1.0")) return "trtllm-1.0";
  if (row.engine == "trtllm" && row.version.starts_with("0.9")) return "trtllm-0.9";
  return row.engine;
}

std::optional<RunCase> serving_case(const ServingRow& row, const Library& library, std::string& why) {
  const auto reject = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  if (!row.wrong.empty()) return reject("marked wrong: " + row.wrong);
  const bool apart = row.mode == "disaggregated";
  if (row.mode != "aggregated" && !apart) return reject("mode " + row.mode);
  if (row.speculative) return reject("speculative decoding");
  if (row.tpot <= 0) return reject("no TPOT");
  if (apart && row.ttft <= 0) return reject("two pools, and no time to the first token");
  const Model* model = find_named(library.models, row.model);
  const Machine* machine = find_named(library.machines, row.machine);
  const Chip* chip = machine == nullptr ? nullptr : find_named(library.chips, machine->chip);
  if (model == nullptr || chip == nullptr) return reject("not in the catalog");
  Layout layout;
  layout.tensor = row.tensor;
  layout.pipeline = row.pipeline;
  layout.attention_data = row.attention_data;
  layout.expert = row.expert;
  if (model->experts() != nullptr && layout.expert * row.moe_tensor != layout.chips_per_stage()) {
    return reject("experts on other chips than attention");
  }
  if (const auto possible = checked(layout, *model); !possible)
    return reject("layout: " + possible.error().front().what);
  // a run's label names the narrowest numbers of its checkpoint; what was released so has wider ones beside them
  const bool released = (row.format == "fp8" && model->precision.value.weights.starts_with("fp8")) ||
                        row.format == model->precision.value.experts;
  const std::string usual_kv =
      kv_format(*find_engine(library, row.engine).facts, *chip, is_quantized(row.format, library));
  FormatChoice choice{row.format, {}, row.kv_format.empty() ? usual_kv : row.kv_format};
  if (released) choice.weights.reset();
  EngineSettings engine;
  engine.name = engine_of(row);
  engine.disaggregated = apart;
  const EngineScheduler& scheduler = find_engine(library, row.engine).facts->scheduler;
  engine.composed_early = scheduler.composed_early;
  engine.captured_tokens = row.captured_tokens > 0 ? row.captured_tokens : scheduler.captured_tokens;
  // the rows were fitted with the general rule for every engine; each engine's own is for the next fit
  const Engine& general = *find_engine(library, kGeneralEngine).facts;
  engine.memory_rule = general.memory_rule.value;
  auto ground = ground_of({.model = model,
                           .machine = machine,
                           .chip = chip,
                           .formats = choice,
                           .engine = engine,
                           .memory_utilization = general.memory_utilization.at(chip->usable_capacity().value)},
                          library);
  if (!ground) return reject(ground.error().front().what);
  const auto deployment = laid_out(std::move(*ground), layout, {});
  if (!deployment) return reject(deployment.error().front().what);
  RunCase out{&row, *deployment, {}, chip->name, engine.name};
  const ChipMemory memory = chip_memory(
      out.operations(), deployment->ground.memory_terms(),
      request_lengths(Tokens<double>(row.isl * row.length_mean), Tokens<double>(row.osl * row.length_mean)));
  if (memory.cache.value() <= 0) return reject("does not fit");
  out.load = serving_load(
      deployment->ground,
      {row.isl * row.length_mean, row.osl * row.length_mean, 0, apart ? decoding_of(row) : row.concurrency},
      memory.sequences.value());
  return out;
}

ChipCalibration<double> in_step(const ChipCalibration<double>& alone, std::span<const double> ratios) {
  std::vector<double> values = fitted_values(alone);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= ratios[i];
  return with_fields<ChipCalibration<double>>(values);
}

std::string fresh_group(const RunCase& run) { return run.engine + "." + fresh_kernels(run.deployment.ground); }

ServingTimes<double> times_of(const RunCase& serving, const CalibrationSet& set) {
  return serving_times(serving.operations(), ChipRates<double>{serving.peaks(), set.chips.at(serving.chip), set.kernel},
                       set.engines.at(serving.engine), serving.load);
}

double predict_tpot(const RunCase& serving, const CalibrationSet& set) {
  if (!set.chips.contains(serving.chip) || !set.engines.contains(serving.engine)) return 0;
  return times_of(serving, set).tpot.value();
}

double predict_rate(const RunCase& serving, const CalibrationSet& set) {
  const ServingRow& row = *serving.row;
  return times_of(serving, set).requests.value() * row.osl * row.length_mean / row.chips;
}

Result<ServingFit> fit_serving(const std::vector<const RunCase*>& cases, const Library& known, const Priors& priors) {
  const CalibrationSet alone = measured_alone(known);
  const auto fields = field_names<ChipCalibration<double>>();
  const auto kernel_fields = field_names<KernelCalibration<double>>();
  const auto engine_fields = field_names<EngineCalibration<double>>();
  std::vector<std::string> chips, engines, unmeasured;
  const auto note = [](std::vector<std::string>& all, const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (const RunCase* one : cases) {
    note(chips, one->chip);
    note(engines, one->engine);
    if (!alone.chips.contains(one->chip)) note(unmeasured, one->chip);
  }
  std::vector<FitParameter> parameters;
  const auto prior = [](const std::map<std::string, Prior>& from, const std::string& field, Prior otherwise) {
    const auto found = from.find(field);
    return found == from.end() ? otherwise : found->second;
  };
  for (const std::string& field : fields) {
    const Prior own = prior(priors.step, field, {1, 0.2});
    parameters.push_back({"step." + field, own.value, own.spread});
  }
  const auto start = fitted_values(alone.kernel);
  for (std::size_t i = 0; i < kernel_fields.size(); ++i) {
    const Prior own = prior(priors.step, "kernel." + kernel_fields[i], {1, 0.3});
    parameters.push_back({"kernel." + kernel_fields[i], start[i] * own.value, own.spread});
  }
  for (const std::string& chip : unmeasured) {
    for (const char* what : {"share", "time"}) {
      const Prior own = prior(priors.step, std::string("unmeasured_") + what, {1, 0.3});
      parameters.push_back({chip + "." + what, own.value, own.spread});
    }
  }
  for (const std::string& engine : engines) {
    for (const std::string& field : engine_fields) {
      const Prior own = prior(priors.engine, field, {1, 1});
      parameters.push_back({engine + "." + field, own.value, own.spread});
    }
  }
  // Behind the TPOT of all runs stand the medians of the gaps between tokens, where known: those are decode steps alone. A
  // run counts once.
  constexpr double kOfTwo = 0.5;
  std::vector<double> measured, weights;
  std::vector<std::size_t> chip_index, engine_index, with_gaps;
  for (const RunCase* one : cases) {
    if (one->row->itl_p50 > 0) with_gaps.push_back(measured.size());
    measured.push_back(one->row->tpot);
    weights.push_back(one->row->itl_p50 > 0 ? kOfTwo : 1);
    chip_index.push_back(static_cast<std::size_t>(std::find(chips.begin(), chips.end(), one->chip) - chips.begin()));
    engine_index.push_back(
        static_cast<std::size_t>(std::find(engines.begin(), engines.end(), one->engine) - engines.begin()));
  }
  for (const std::size_t row : with_gaps) {
    measured.push_back(cases[row]->row->itl_p50);
    weights.push_back(kOfTwo);
  }
  std::map<std::string, std::vector<double>> borrowed;
  for (const std::string& name : unmeasured) {
    borrowed[name] = fitted_values(chip_alone(known, *find_named(known.chips, name)).value);
  }
  // a chip without kernels: `at` is where its two factors stand
  const auto unmeasured_chip = [&](const std::string& name, std::span<const double> all, std::size_t at) {
    std::vector<double> own = borrowed.at(name);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] *= is_time(fields[i]) ? all[at + 1] : all[at];
    return with_fields<ChipCalibration<double>>(own);
  };
  const auto unpack = [&](const std::vector<double>& values) {
    const std::span<const double> all(values);
    CalibrationSet set;
    const auto ratios = all.subspan(0, fields.size());
    set.kernel = with_fields<KernelCalibration<double>>(all.subspan(fields.size(), kernel_fields.size()));
    std::size_t at = fields.size() + kernel_fields.size();
    for (const auto& [name, chip] : alone.chips) set.chips[name] = in_step(chip, ratios);
    for (const std::string& name : unmeasured) {
      set.chips[name] = in_step(unmeasured_chip(name, all, at), ratios);
      at += 2;
    }
    for (const std::string& name : engines) {
      set.engines[name] = with_fields<EngineCalibration<double>>(all.subspan(at, engine_fields.size()));
      at += engine_fields.size();
    }
    return set;
  };
  const auto predict = [&](const std::vector<double>& values, std::vector<double>& predicted) {
    const CalibrationSet set = unpack(values);
    std::vector<ChipRates<double>> rates;
    for (const std::string& chip : chips) rates.push_back({{}, set.chips.at(chip), set.kernel});
    std::size_t gap = cases.size();
    for (std::size_t row = 0; row < cases.size(); ++row) {
      ChipRates<double>& own = rates[chip_index[row]];
      own.peak = cases[row]->peaks();
      const auto times =
          serving_times(cases[row]->operations(), own, set.engines.at(engines[engine_index[row]]), cases[row]->load);
      predicted[row] = times.tpot.value();
      if (cases[row]->row->itl_p50 > 0) predicted[gap++] = times.decode_step.value();
    }
  };
  // A row is of one engine, and of at most one chip that nobody measured.
  const std::size_t common = fields.size() + kernel_fields.size(), of_engines = common + 2 * unmeasured.size();
  MovedTogether together;
  const auto move = [&](const auto& parameter_of) {
    std::vector<std::size_t>& of_row = together.emplace_back();
    for (std::size_t row = 0; row < cases.size(); ++row) of_row.push_back(parameter_of(row));
    for (const std::size_t row : with_gaps) of_row.push_back(parameter_of(row));
  };
  for (std::size_t i = 0; i < common; ++i) move([&](std::size_t) { return i; });
  for (std::size_t i = 0; i < 2 && !unmeasured.empty(); ++i) {
    move([&](std::size_t row) {
      const auto at = std::find(unmeasured.begin(), unmeasured.end(), cases[row]->chip) - unmeasured.begin();
      return common + 2 * (static_cast<std::size_t>(at) % unmeasured.size()) + i;
    });
  }
  for (std::size_t i = 0; i < engine_fields.size(); ++i) {
    move([&](std::size_t row) { return of_engines + engine_fields.size() * engine_index[row] + i; });
  }
  auto fit = fit_parameters(parameters, measured, weights, predict, priors.serving_rows, kUsualSoftness, together);
  if (!fit) return fail(fit.error());
  ServingFit out;
  std::vector<double> values;
  for (const FittedParameter& one : fit->parameters) {
    values.push_back(one.value);
    out.spread[one.name] = one.spread;
  }
  out.set = unpack(values);
  for (std::size_t i = 0; i < unmeasured.size(); ++i) {
    out.unmeasured[unmeasured[i]] = unmeasured_chip(unmeasured[i], values, common + 2 * i);
  }
  out.ratios.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(fields.size()));
  out.fit = std::move(*fit);
  return out;
}

}  // namespace ridge
