// What a calibrated whole step costs: DeepSeek-V3 laid out over eight chips and over a rack, network included. The target
// is under 1 us in double.

#include <benchmark/benchmark.h>

#include "catalog/library.hpp"
#include "search/plan.hpp"
#include "serve/steady.hpp"
#include "serve/step_formats.hpp"

namespace {

using namespace ridge;

constexpr std::size_t kLoads = 256;

const Library& library() {
  static const Library built = catalog::build_library(catalog::embedded_facts()).value();
  return built;
}

/// Any calibration will do: the arithmetic is the same. Shares are 0.7, times a microsecond.
template <class C>
C typical() {
  C calibration;
  C::visit_fields(calibration, [](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    constexpr bool kTime = std::is_same_v<Field, Seconds<double>>, kRate = std::is_same_v<Field, PerSecond<double>>;
    field = Field(kTime ? 1e-6 : kRate ? 1e12 : 0.7);
  });
  return calibration;
}

struct Case {
  StepPlan plan;
  ChipRates<double> rates;
};

Case deepseek(const char* machine_name, const Layout& layout) {
  const Model& model = *find_named(library().models, "deepseek-v3");
  const Machine& machine = *find_named(library().machines, machine_name);
  const Chip& chip = *find_named(library().chips, machine.chip);
  const StepFormats formats = step_formats(model, library(), chip, {}).value();
  return {plan_step(model, checked(layout, model).value(), formats, Fabric{machine.chips.value}),
          {peaks_of(chip, &machine), typical<ChipCalibration<double>>(), typical<KernelCalibration<double>>()}};
}

StepLoad<double> load_of(std::size_t i, bool prefills) {
  StepLoad<double> load;
  load.sequences = Ratio<double>(1.0 + static_cast<double>(i % kLoads));
  load.new_tokens = Ratio<double>(1.0);
  load.context = Tokens<double>(4096);
  load.prefills = prefills;
  load.prompts = load.prompts_in_group = Ratio<double>(1.0);
  load.prompt_tokens = Ratio<double>(1024);
  return load;
}

void whole_step(benchmark::State& state, const char* machine, const Layout& layout, bool prefills) {
  const Case c = deepseek(machine, layout);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(step_times(c.plan, c.rates, load_of(i++, prefills)).calibrated());
  state.SetItemsProcessed(state.iterations());
}

const Layout kTensor{.tensor = 8, .expert = 8};
const Layout kData{.attention_data = 72, .expert = 72, .redundant = 32};

BENCHMARK_CAPTURE(whole_step, tp8_ep8, "hgx-h200", kTensor, false);
BENCHMARK_CAPTURE(whole_step, tp8_ep8_mixed, "hgx-h200", kTensor, true);
BENCHMARK_CAPTURE(whole_step, dp72_ep72, "gb200-nvl72", kData, false);

void plan_of_a_step(benchmark::State& state) {
  const Model& model = *find_named(library().models, "deepseek-v3");
  const Chip& chip = *find_named(library().chips, "h200-sxm");
  const StepFormats formats = step_formats(model, library(), chip, {}).value();
  for (auto _ : state) benchmark::DoNotOptimize(plan_step(model, kTensor, formats, Fabric{8}));
}
BENCHMARK(plan_of_a_step);

/// Whole deployments a second on one thread: layout, memory, three steps (decoding, with a prompt, a prompt alone),
/// network, dollars, frontiers. Nothing is shared between layouts; the loads of one share its plan.
void deployments(benchmark::State& state) {
  PlanRequest request;
  request.question.scenario.model = "deepseek-v3";
  request.question.scenario.machine = "gb200-nvl72";
  request.machines = {"gb200-nvl72"};
  std::uint64_t evaluated = 0;
  for (auto _ : state) evaluated += make_plan(request, library())->search.evaluated;
  state.SetItemsProcessed(static_cast<std::int64_t>(evaluated));
}
BENCHMARK(deployments);

}  // namespace
