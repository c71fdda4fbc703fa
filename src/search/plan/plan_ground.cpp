#include "search/plan/plan_ground.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "library/engines.hpp"
#include "roofline/scenario.hpp"
#include "serve/memory.hpp"
#include "serve/step_formats.hpp"

namespace ridge {

namespace {

void apply(const PlanChange& change, DeploymentGround& ground) {
  ChipPeaks<double>& peak = ground.rates.peak;
  for (auto& rate : peak.matrix) rate = rate * change.matrix;
  peak.memory = peak.memory * change.memory;
  peak.scale_up = peak.scale_up * change.link;
  ground.engine.step_time = ground.engine.step_time * change.engine;
  ground.engine.layer_time = ground.engine.layer_time * change.engine;
  ground.engine.sequence_time = ground.engine.sequence_time * change.engine;
}

/// Every layout the model has there, the degrees of the question held.
Result<std::vector<Layout>> layouts_of(const Model& model, const ServingQuestion& q, double most) {
  std::vector<Layout> layouts;
  for (const Layout& layout : all_layouts(model, q, most)) {
    if (checked(layout, model)) layouts.push_back(layout);
  }
  if (!layouts.empty()) return layouts;
  Layout given;
  given.tensor = q.tensor.value_or(1);
  given.pipeline = q.pipeline.value_or(1);
  given.context = q.context.value_or(1);
  given.attention_data = q.attention_data.value_or(1);
  given.expert = q.expert.value_or(1);
  if (const auto possible = checked(given, model); !possible) return fail(possible.error());
  return fail({"--max-chips", fmt::format("the degrees that were given take more than {:g} chips", most),
               "allow more, or leave one of them out"});
}

/// Of these layouts the ones that no other makes pointless. How long a cache takes to move matters to a promise about the
/// first token alone.
std::vector<PrefillChoice> prefill_choices(const PlanGround& ground, const std::vector<Layout>& layouts, bool has_slo) {
  StepOperations plan;
  std::vector<PrefillChoice> all, kept;
  for (const Layout& layout : layouts) {
    lay_out_step(ground.shape, numbers_of(layout, ground.fabric), ground.fabric, plan);
    const double room = sequences_that_fit(plan, ground.memory, ground.load.token_budget, ground.terms.isl);
    if (room < 1) continue;
    const PrefillService service{prefill_pool(plan, layout.chips(), room, ground.terms.isl),
                                 prefill_alone_time(plan, ground.rates, ground.engine, ground.load)};
    all.push_back({layout, service, chip_time(service.pool, service.alone)});
  }
  const auto key = [](const PrefillChoice& choice) {
    return std::tuple(choice.chip_time, choice.service.alone, choice.service.pool.cache);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const PrefillChoice& a, const PrefillChoice& b) { return key(a) < key(b); });
  for (const PrefillChoice& one : all) {
    const bool beaten = std::any_of(kept.begin(), kept.end(), [&](const PrefillChoice& other) {
      return other.service.alone <= one.service.alone &&
             (!has_slo || other.service.pool.cache <= one.service.pool.cache);
    });
    if (!beaten) kept.push_back(one);
  }
  return kept;
}

/// The layouts for prompts to try: the one that was given, or all.
Result<std::vector<Layout>> prefill_layouts(const ServingQuestion& q, const PlanGround& ground) {
  if (!q.prefill_layout) return ground.layouts;
  Layout given = *q.prefill_layout;
  given.redundant_experts = ground.layouts.front().redundant_experts;
  given.balanced = ground.layouts.front().balanced;
  const auto possible = checked(given, *ground.model);
  if (!possible) return fail(possible.error());
  return std::vector<Layout>{*possible};
}

}  // namespace

Result<PlanGround> plan_ground(const PlanRequest& request, const PlanVariant& which, const Library& library) {
  const ServingQuestion q = question_of(request, which);
  const Scenario& scenario = q.scenario;
  const auto resolved = resolve(scenario, library);
  if (!resolved) return fail(resolved.error());
  const Model* model = find_named(library.models, resolved->model);
  const Machine* machine = find_named(library.machines, resolved->machine);
  if (model == nullptr || machine == nullptr) {
    return fail({"plan", "a saved scenario without its model or machine in the catalog has no layers to lay out",
                 "name a model and a machine of the catalog"});
  }
  const Chip& chip = *find_named(library.chips, machine->chip);
  const Engine& engine = *find_engine(library, q.engine).facts;
  const std::optional<std::string> kv = scenario.kv ? scenario.kv : kv_format(engine, chip);
  const auto formats = step_formats(*model, library, chip, {scenario.weights, scenario.experts, kv});
  if (!formats) return fail(formats.error());
  PlanGround ground;
  ground.which = which;
  ground.model = model;
  ground.fabric = fabric_of(*machine);
  ground.shape = shape_of(*model, *formats);
  ground.rates = {peaks_of(chip, machine), chip_in_step(library, chip).value, kernels_in_step(library)};
  ground.engine = engine_calibration(library, q.engine).value;
  apply(request.change, ground);
  ground.load = load_of(q, *model, 1, 1);
  ground.terms.isl = q.isl;
  ground.terms.osl = q.osl;
  ground.terms.price = resolved->numbers.price.value();
  ground.terms.networked = ground.rates.peak.scale_out.value() > 0;
  ground.memory =
      memory_share(engine, q.memory_utilization, chip.usable_capacity().value * request.change.capacity, library);
  if (const auto watts = watts_of(*machine, chip)) ground.power = watts->value();
  const double most = request.most_chips > 0 ? request.most_chips : std::min(kMostChips, machine->chips.value);
  auto layouts = layouts_of(*model, q, most);
  if (!layouts) return fail(layouts.error());
  ground.layouts = std::move(*layouts);
  if (request.apart) {
    const auto tried = prefill_layouts(q, ground);
    if (!tried) return fail(tried.error());
    ground.prompts = prefill_choices(ground, *tried, request.ttft.has_value());
  }
  return ground;
}

}  // namespace ridge
