#include "calibrate/fit/halves.hpp"

#include <cmath>

#include <fmt/format.h>

#include "library/calibrations.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

/// What such a program adds to the chip's own numbers.
struct Program {
  double step_time, layer_time, sequence_time;  // s
  double prompt_factor;                         // of the time of a prompt's arithmetic
  double attention_factor;                      // of decode attention's time
  double cut;                                   // what it takes longer where contexts are cut into pieces: few blocks
  double unshared;  // its power of the query heads a key: 0 where they share one read of it, 1 where each reads its own
};
constexpr std::size_t kProgramFields = 7;

/// A chip whose arithmetic takes so many times as long.
ChipRates<double> slower(ChipRates<double> r, double factor) {
  for (auto* share : {&r.chip.matrix_16bit, &r.chip.matrix_8bit, &r.chip.matrix_4bit, &r.chip.attention_matrix})
    *share = *share / factor;
  r.chip.softmax_rate = r.chip.softmax_rate / factor;
  return r;
}

/// How far contexts are cut into pieces: all the way where blocks (sequences times kv heads) are few, not at all where
/// they fill the chip by themselves. `enough` 0: such a program's attention is the same for any number of blocks.
double cut_part(double blocks, double enough) { return enough > 0 ? 1 / (1 + std::pow(blocks / enough, 4)) : 0; }

struct Timed {
  StepOperations plan;
  ChipRates<double> rates;
  double measured = 0;  // s
  std::string part;
  double batch = 0, prompt = 0, steps = 0, context = 0;  // a prompt of so many tokens (0: none), then so many steps
  double uncut_blocks = 0;  // of decode attention, where half of its contexts are cut; 0: a cache in pages

  double predicted(const Program& program) const {
    double time = 0;
    const auto around = [&](double sequences) {
      return program.step_time + program.layer_time * plan.layers + program.sequence_time * sequences;
    };
    if (prompt > 0) {
      StepLoad<double> load;
      load.decodes = false;
      load.prefills = true;
      load.prompts = load.prefills_in_group = batch;
      load.prompt_tokens = prompt;
      time += step_times(plan, slower(rates, program.prompt_factor), load).calibrated().value() + around(batch);
    }
    if (steps > 0) {
      StepLoad<double> load;
      load.sequences = batch;
      load.new_tokens = 1;
      load.context = Tokens<double>(context);
      const auto times = step_times(plan, rates, load);
      const double attention = times.part[static_cast<std::size_t>(StepPart::attention)].value();
      const double group = plan.attention.empty() ? 1 : plan.attention.front().group;
      const double blocks = batch * (plan.attention.empty() ? 1 : plan.attention.front().kv_heads);
      const double factor = program.attention_factor * std::pow(group, program.unshared) *
                            (1 + program.cut * cut_part(blocks, uncut_blocks));
      time += steps * (times.calibrated().value() + attention * (factor - 1) + around(batch));
    }
    return time;
  }
};

ChipRates<double> rates_of(const Chip& chip, const Machine* machine, const Library& library) {
  return {peaks_of(chip, machine), chip_in_step(library, chip).value, kernels_in_step(library)};
}

std::optional<Timed> timed_step(const StepRow& row, const Library& library, double uncut_blocks) {
  const Model* whole = find_named(library.models, row.model);
  const Chip* chip = find_named(library.chips, row.chip);
  if (whole == nullptr || chip == nullptr || row.layers > whole->layers()) return {};
  Model model = *whole;
  model.order.resize(static_cast<std::size_t>(row.layers));
  model.released = {};  // they were of all layers
  const auto formats = step_formats(model, library, *chip, {"bf16", {}, "bf16"});
  if (!formats) return {};
  Timed out;
  out.plan = step_operations(model, {}, *formats, {});
  out.rates = rates_of(*chip, nullptr, library);
  out.uncut_blocks = uncut_blocks;
  out.measured = row.seconds;
  out.part = row.phase;
  out.batch = row.batch;
  if (row.phase == "decode") {
    out.steps = 1;
    out.context = row.tokens;
  } else {
    out.prompt = row.tokens;
  }
  return out;
}

std::optional<Timed> timed_batch(const ServingRow& row, const Library& library) {
  const Model* model = find_named(library.models, row.model);
  const Machine* machine = find_named(library.machines, row.machine);
  if (row.mode != "static" || !row.wrong.empty() || model == nullptr || machine == nullptr) return {};
  const Chip* chip = find_named(library.chips, machine->chip);
  Layout layout;
  layout.tensor = row.tensor;
  layout.pipeline = row.pipeline;
  layout.expert = row.expert;
  const auto formats = step_formats(*model, library, *chip, {row.format, {}, row.format == "fp8" ? "fp8" : "bf16"});
  if (!formats || !checked(layout, *model)) return {};
  Timed out;
  out.plan = step_operations(*model, layout, *formats, fabric_of(*machine));
  out.rates = rates_of(*chip, machine, library);
  out.part = row.model + " " + machine->chip;
  out.batch = row.concurrency;
  out.prompt = row.isl;
  out.steps = std::max(0.0, row.osl - 1);
  out.context = row.isl + row.osl / 2;
  if (row.ttft > 0 && row.osl <= 1) {
    out.measured = row.ttft;
  } else if (row.output_rate > 0) {
    out.measured = row.concurrency * row.osl / (row.output_rate * row.chips);
  } else if (row.latency > 0) {
    out.measured = row.latency;
  }
  if (out.measured <= 0 || out.batch < 1) return {};
  return out;
}

Program program_of(const std::vector<double>& values) {
  return {values[0], values[1], values[2], values[3], values[4], values[5], values[6]};
}

std::vector<FitParameter> program_priors(const Priors& priors) {
  const auto engine = [&](const char* field) {
    const auto found = priors.engine.find(field);
    return found == priors.engine.end() ? Prior{} : found->second;
  };
  std::vector<FitParameter> out;
  for (const char* field : {"step_time", "layer_time", "sequence_time", "prefill_factor"}) {
    out.push_back({field, engine(field).value, engine(field).spread});
  }
  out.push_back({"attention_factor", 1, 0.5});
  out.push_back({"cut", engine("attention_cut").value, engine("attention_cut").spread});
  out.push_back({"unshared", 0.3, 1});
  return out;
}

/// Rows by turns into two halves; each judges the fit to the other.
Result<ValidationLine> halves(const std::string& name, const std::vector<Timed>& all, const Priors& priors,
                              std::vector<JudgedPoint>& prompts) {
  std::vector<double> errors;
  std::map<std::string, std::vector<double>> parts;
  for (const std::size_t half : {0u, 1u}) {
    std::vector<const Timed*> fitted;
    std::vector<double> measured;
    for (std::size_t i = half; i < all.size(); i += 2) {
      fitted.push_back(&all[i]);
      measured.push_back(all[i].measured);
    }
    const auto fit = fit_parameters(program_priors(priors), measured, std::vector<double>(measured.size(), 1),
                                    [&](const std::vector<double>& values, std::vector<double>& predicted) {
                                      for (std::size_t i = 0; i < fitted.size(); ++i) {
                                        predicted[i] = fitted[i]->predicted(program_of(values));
                                      }
                                    });
    if (!fit) return fail(fit.error());
    std::vector<double> values;
    for (const FittedParameter& one : fit->parameters) values.push_back(one.value);
    for (std::size_t i = 1 - half; i < all.size(); i += 2) {
      const double predicted = all[i].predicted(program_of(values)), error = predicted / all[i].measured - 1;
      if (all[i].steps == 0)
        prompts.push_back({"", all[i].part == "prefill" ? "prefill step, PyTorch" : "prefill, engines of 2024",
                           all[i].measured, predicted});
      errors.push_back(error);
      parts[all[i].part].push_back(error);
    }
  }
  ValidationLine line{std::string(kHalvesGroup), name, summary_of(errors), {}, 0, 0};
  for (const auto& [part, own] : parts) {
    if (summary_of(own).mean <= line.worst_error) continue;
    line.worst = part;
    line.worst_error = summary_of(own).mean;
    line.worst_rows = own.size();
  }
  return line;
}

}  // namespace

Result<ByHalves> judge_by_halves(const Evidence& evidence, const Library& library) {
  const Priors priors = priors_of(library);
  const auto uncut = priors.engine.find("uncut_blocks");
  std::map<std::string, std::vector<Timed>> programs;
  for (const StepRow& row : evidence.steps) {
    if (auto one = timed_step(row, library, uncut == priors.engine.end() ? 0 : uncut->second.value))
      programs[row.set + " whole steps"].push_back(std::move(*one));
  }
  for (const ServingRow& row : evidence.serving) {
    if (auto one = timed_batch(row, library)) {
      programs[fmt::format("{} {} {}", row.set, row.engine, row.version)].push_back(std::move(*one));
    }
  }
  ByHalves out;
  for (const auto& [name, all] : programs) {
    if (all.size() < 4 * kProgramFields) continue;
    auto line = halves(name, all, priors, out.prompts);
    if (!line) return fail(line.error());
    out.lines.push_back(std::move(*line));
  }
  return out;
}

}  // namespace ridge
