// What a calibrated whole step costs: DeepSeek-V3 laid out over eight chips and over a rack, network included. The target
// is under 1 us in double.

#include <benchmark/benchmark.h>

#include "catalog/entries/library.hpp"
#include "search/lanes/deployments.hpp"
#include "search/plan/plan.hpp"
#include "serve/step/steady.hpp"
#include "serve/step/step_formats.hpp"

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
  StepOperations plan;
  ChipRates<double> rates;
};

Case deepseek(const char* machine_name, const Layout& layout) {
  const Model& model = *find_named(library().models, "deepseek-v3");
  const Machine& machine = *find_named(library().machines, machine_name);
  const Chip& chip = *find_named(library().chips, machine.chip);
  const StepFormats formats = step_formats(model, library(), chip, {}).value();
  return {step_operations(model, checked(layout, model).value(), formats, Fabric{machine.chips.value}),
          {peaks_of(chip, &machine), typical<ChipCalibration<double>>(), typical<KernelCalibration<double>>()}};
}

StepLoad<double> load_of(std::size_t i, bool prefills) {
  StepLoad<double> load;
  load.sequences = Ratio<double>(1.0 + static_cast<double>(i % kLoads));
  load.new_tokens = Ratio<double>(1.0);
  load.context = Tokens<double>(4096);
  load.prefills = prefills;
  load.prompts = load.prefills_in_group = Ratio<double>(1.0);
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
const Layout kData{.attention_data = 72, .expert = 72, .redundant_experts = 32};

BENCHMARK_CAPTURE(whole_step, tp8_ep8, "hgx-h200", kTensor, false);
BENCHMARK_CAPTURE(whole_step, tp8_ep8_mixed, "hgx-h200", kTensor, true);
BENCHMARK_CAPTURE(whole_step, dp72_ep72, "gb200-nvl72", kData, false);

void plan_of_a_step(benchmark::State& state) {
  const Model& model = *find_named(library().models, "deepseek-v3");
  const Chip& chip = *find_named(library().chips, "h200-sxm");
  const StepFormats formats = step_formats(model, library(), chip, {}).value();
  for (auto _ : state) benchmark::DoNotOptimize(step_operations(model, kTensor, formats, Fabric{8}));
}
BENCHMARK(plan_of_a_step);

/// DeepSeek-V3 on a rack, ready to be laid out.
DeploymentGround rack() {
  ServingQuestion question;
  question.scenario.model = "deepseek-v3";
  question.scenario.machine = "gb200-nvl72";
  question.scenario.kv = "bf16";
  question.memory_utilization = 1;
  const ServingGround serving = serving_ground(question, library()).value();
  DeploymentGround ground = deployment_ground(serving, {question.isl, question.osl, 0, 1});
  return ground;
}

/// Operations of one step, and of a deployment: decoding, decoding with a prompt beside it, and a prompt alone where it is
/// not known already.
void count_operations(benchmark::State& state, const StepOperations& plan, double steps) {
  const double each = static_cast<double>(plan.products.size() + plan.attention.size() + plan.experts.size() +
                                          plan.all_reduces.size() + plan.all_to_alls.size()) +
                      1 + (plan.staged ? 1 : 0);
  state.counters["operations_of_a_step"] = each;
  state.counters["operations_of_a_deployment"] = each * steps;
}

/// What a deployment costs by itself, in double: each is laid out, fitted into memory, timed (three steps with their
/// network) and paid for, and nothing is shared between them but the model's shape. An answer pays this once; a plan shares
/// what it can and goes along a batch axis.
void deployments_unshared(benchmark::State& state) {
  const DeploymentGround ground = rack();
  const std::vector<Layout> layouts = all_layouts(*find_named(library().models, "deepseek-v3"), {}, 72);
  StepOperations plan;
  for (auto _ : state) {
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      lay_out_step(ground.shape, layouts[i], ground.fabric, plan);
      ServingLoad<double> load = ground.load;
      load.concurrency = static_cast<double>(1 + 37 * (i % 29));
      load.capacity = memory_of(ground, plan).sequences.value();
      ServingTerms terms = ground.terms;
      terms.chips = layouts[i].chips();
      const double room = prefill_memory_of(ground, plan).sequences.value();
      const PrefillPool pool = prefill_pool(plan, terms.chips, room, terms.isl);
      const auto times = serving_times(plan, ground.rates, ground.engine, load);
      benchmark::DoNotOptimize(serving_figures(plan, ground.rates, times, terms, pool));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(layouts.size()));
  lay_out_step(ground.shape, kTensor, ground.fabric, plan);
  count_operations(state, plan, 3);
}
BENCHMARK(deployments_unshared);

/// Along a batch axis, over lanes: layout, memory and the prompt alone are computed once. The target is 5 million a second on
/// one core.
void deployments_along_batch(benchmark::State& state, bool apart) {
  const DeploymentGround ground = rack();
  StepOperations plan;
  lay_out_step(ground.shape, kData, ground.fabric, plan);
  const double room = prefill_memory_of(ground, plan).sequences.value();
  const PrefillService prompts{prefill_pool<double>(plan, kData.chips(), room, ground.terms.isl),
                               prefill_alone_time(plan, ground.rates, ground.engine, ground.load)};
  DeploymentLoads loads;
  for (std::size_t i = 1; i <= kLoads; ++i) loads.add(72.0 * static_cast<double>(i), prompts);
  const double capacity = memory_of(ground, plan).sequences.value();
  DeploymentFigures figures;
  for (auto _ : state) {
    figures_of_loads(ground, plan, kData.chips(), capacity, apart, loads, best_instruction_set(), figures);
    benchmark::DoNotOptimize(figures.tpot.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLoads));
  count_operations(state, plan, apart ? 1 : 2);
}
BENCHMARK_CAPTURE(deployments_along_batch, prompts_beside, false);
BENCHMARK_CAPTURE(deployments_along_batch, disaggregated, true);

/// A whole plan: every layout and load of the rack, both ways with prompts, frontiers.
void deployments_of_a_plan(benchmark::State& state) {
  PlanRequest request;
  request.question.scenario.model = "deepseek-v3";
  request.question.scenario.machine = "gb200-nvl72";
  request.machines = {"gb200-nvl72"};
  request.threads = static_cast<unsigned>(state.range(0));
  std::uint64_t evaluated = 0;
  for (auto _ : state) evaluated += make_plan(request, library())->search.evaluated;
  state.SetItemsProcessed(static_cast<std::int64_t>(evaluated));
}
BENCHMARK(deployments_of_a_plan)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
