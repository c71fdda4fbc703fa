#include "calibrate/fit/bare_steps.hpp"

#include <algorithm>
#include <cmath>

#include "library/calibrations.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

// What the reports say of all these runs: prompts in batches of this many tokens a chip, and about these guesses right.
constexpr double kPromptTokens = 16384;
constexpr double kAccepted = 0.85;

}  // namespace

std::optional<BareStep> bare_step(const ServingRow& row, const Library& library) {
  const bool decodes = row.mode == "decode", prefills = row.mode == "prefill";
  const Model* model = find_named(library.models, row.model);
  const Machine* machine = find_named(library.machines, row.machine);
  if ((!decodes && !prefills) || !row.wrong.empty() || model == nullptr || machine == nullptr) return {};
  const Chip* chip = find_named(library.chips, machine->chip);
  Layout layout;
  layout.tensor = row.tensor;
  layout.attention_data = row.attention_data;
  layout.expert = row.expert;
  layout.balanced = true;                           // all of them say so
  if (const Experts* experts = model->experts()) {  // some are held twice, so that every chip has as many
    layout.redundant_experts = std::ceil(experts->count / layout.expert) * layout.expert - experts->count;
  }
  const auto formats = step_formats(*model, library, *chip, {{}, {}, "bf16"});
  if (!formats || !checked(layout, *model)) return {};
  const StepOperations plan = step_operations(*model, layout, *formats, fabric_of(*machine));
  const ChipRates<double> rates{peaks_of(*chip, machine), chip_in_step(library, *chip).value, kernels_in_step(library)};
  const EngineCalibration<double> engine = engine_calibration(library, row.engine).value;

  BareStep out{&row, 0, 0, 0};
  StepLoad<double> load;
  double tokens = 0, emitted = 1;
  load.decodes = decodes;
  load.prefills = prefills;
  load.new_tokens = 1;
  if (decodes) {
    out.measured = row.output_rate;
    const double in_flight = row.concurrency > 0 ? row.concurrency / row.chips : row.output_rate * row.tpot;
    if (row.speculative) {  // one guess of the model's own module
      load.new_tokens = 2;
      emitted = 1 + kAccepted;
    }
    load.sequences = in_flight;
    load.context = Tokens<double>(row.isl);
    tokens = in_flight * emitted;
  } else {
    out.measured = row.total_rate;
    const double computed = 1 - row.cached;
    load.prompts = kPromptTokens / (row.isl * computed);
    load.prefills_in_group = load.prompts * layout.attention_data;
    load.prompt_tokens = row.isl * computed;
    load.prompt_context = Tokens<double>(row.isl * row.cached);
    tokens = kPromptTokens / computed;  // those from the cache count as served
  }
  const double around = (decodes ? engine_time(engine, plan, load.sequences)
                                 : prefill_engine_time(engine, plan, load.prompts, load.prompts, Ratio<double>(1.0)))
                            .value();
  const auto rate = [&](Overlap overlap) {
    const Seconds<double> kernels = overlapped_step(plan, rates, load, overlap);
    const Seconds<double> taken =
        decodes ? kernels : launched(plan, engine, kernels, load, 0.0);  // in no graph: 16k tokens
    return tokens / (taken.value() + around);
  };
  out.predicted = rate(Overlap::two);
  out.alone = rate(Overlap::none);
  return out;
}

}  // namespace ridge
