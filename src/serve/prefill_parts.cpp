#include "serve/prefill_parts.hpp"

#include "serve/serving_figures.hpp"
#include "serve/steady.ipp"
#include "serve/step_formats.hpp"

namespace ridge {

namespace {

/// What a load takes of a plan: all that adds up.
struct LoadTimes {
  Seconds<double> compute, weights, context, kernels, all;

  LoadTimes operator-(const LoadTimes& other) const {
    return {compute - other.compute, weights - other.weights, context - other.context, kernels - other.kernels,
            all - other.all};
  }
};

class PromptTaker {
 public:
  PromptTaker(const ServingAnswer& answer, const ChipPaces<double>& paces, const EngineCalibration<double>& engine,
              const ServingLoad<double>& load)
      : answer_(answer), paces_(paces), engine_(engine), load_(load) {}

  /// Between the steps of others: the step with prompts, less the one without.
  PrefillParts beside(const StepOperations& plan) const {
    StepLoad<double> step = decode_load(plan, load_);
    if (load_.speculative_tokens > 0) step.new_tokens = 1 + load_.speculative_tokens;
    const StepLoad<double> mixed = with_prefill(step, plan, load_, answer_.times.prefills_per_step);
    const LoadTimes more = times(plan, mixed) - times(plan, step);
    const Ratio<double> each = Ratio<double>(1.0) / mixed.prompts;
    PrefillParts out = parts(more, each);
    out.total = engine_.prefill_factor * more.all * each;
    out.engine = out.total - more.all * each;
    return out;
  }

  /// On chips of their own.
  PrefillParts apart(const StepOperations& plan) const {
    const StepLoad<double> alone = prefill_step(plan, load_);
    PrefillParts out = parts(times(plan, alone), 1.0);
    out.total = answer_.times.prefill_alone;
    const Seconds<double> own_steps = engine_time<double>(engine_, plan, 1.0);
    out.engine = own_steps + own_steps * more_chunks(load_, alone);
    out.idle = out.total * (1 / kPrefillBusy - 1);
    return out;
  }

 private:
  static PrefillParts parts(const LoadTimes& times, const Ratio<double>& each) {
    PrefillParts out;
    out.compute = times.compute * each;
    out.weights = times.weights * each;
    out.context = times.context * each;
    out.kernels = times.kernels * each;
    return out;
  }

  LoadTimes times(const StepOperations& plan, const StepLoad<double>& load) const {
    StepOperations matrices = plan, attention = plan;
    matrices.attention.clear();  // what is left reads weights alone
    attention.products.clear();  // and here the context
    attention.experts.clear();
    const StepTimes<double> step = step_times(plan, paces_, load);
    const Seconds<double> weights = step_times(matrices, paces_, load).memory;
    const Seconds<double> context = step_times(attention, paces_, load).memory;
    const Ratio<double> paced = load.decodes ? plan.unevenness : 1.0;  // stages in turn: the fullest sets the pace
    return {step.compute * paced, weights * paced, context * paced, (step.calibrated() - step.wire()) * paced,
            overlapped_step(plan, paces_, load, load_.overlap) * paced};
  }

  const ServingAnswer& answer_;
  const ChipPaces<double>& paces_;
  const EngineCalibration<double>& engine_;
  const ServingLoad<double>& load_;
};

}  // namespace

Result<PrefillParts> prefill_parts(const ServingAnswer& answer, const Library& library) {
  const ServingQuestion& question = answer.question;
  const Scenario& scenario = question.scenario;
  const auto resolved = resolve(scenario, library);
  if (!resolved) return fail(resolved.error());
  const Model* model = find_named(library.models, resolved->model);
  const Machine* machine = find_named(library.machines, resolved->machine);
  const Chip* chip = machine == nullptr ? nullptr : find_named(library.chips, machine->chip);
  if (model == nullptr || chip == nullptr)
    return fail({"serving", "the answer is of another library", "ask answer_serving with this one"});
  const auto formats = step_formats(*model, library, *chip, {scenario.weights, scenario.experts, answer.kv});
  if (!formats) return fail(formats.error());
  const ChipRates<double> rates = {peaks_of(*chip, machine), chip_in_step(library, *chip).value,
                                   kernels_in_step(library)};
  const ChipPaces<double> paces = rates;
  const EngineCalibration<double> engine = engine_calibration(library, question.engine).value;
  const ServingLoad<double> load = load_of(question, *model, answer.concurrency, answer.memory.sequences);
  const PromptTaker taker(answer, paces, engine, load);
  const Layout& layout = question.disaggregated ? answer.prefill_layout : answer.layout;
  const StepOperations plan = step_operations(*model, layout, *formats, fabric_of(*machine));
  return question.disaggregated ? taker.apart(plan) : taker.beside(plan);
}

}  // namespace ridge
