#include "search/plan/plan_ground.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "engine/engine_layout.hpp"
#include "roofline/scenario.hpp"
#include "serve/answer_notes.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

/// A machine that is not there.
ServingCase<double> changed(ServingCase<double> numbers, const PlanChange& change) {
  for (auto& rate : numbers.peak.matrix) rate = rate * change.matrix;
  numbers.peak.memory = numbers.peak.memory * change.memory;
  numbers.peak.scale_up = numbers.peak.scale_up * change.link;
  numbers.hbm_capacity = numbers.hbm_capacity * change.capacity;
  EngineCalibration<double>& engine = numbers.engine;
  engine.step_time = engine.step_time * change.engine;
  engine.sequence_time = engine.sequence_time * change.engine;
  return numbers;
}

/// Every layout the model has there, the degrees of the question held.
Result<std::vector<Layout>> layouts_of(const Model& model, const ServingQuestion& q, double most, double domain) {
  std::vector<Layout> layouts = all_layouts(model, q, most, domain);
  if (layouts.size() > kMostLayouts) {
    return fail({"max_chips",
                 fmt::format("{} has more than {} layouts on {:g} chips", model.title,
                             with_commas(static_cast<double>(kMostLayouts)), most),
                 fmt::format("allow fewer, or hold degrees: {}, {}", field("dp", "1"), field("pp", "1"))});
  }
  // only what was given may be impossible: the rest was found to divide
  const bool given_any = q.tensor || q.pipeline || q.context || q.attention_data || q.expert || q.redundant_experts;
  if (given_any) std::erase_if(layouts, [&](const Layout& layout) { return !checked(layout, model); });
  if (!layouts.empty()) return layouts;
  if (const auto possible = checked(given_degrees(q), model); !possible) return fail(possible.error());
  return fail({"max_chips", fmt::format("the degrees that were given take more than {:g} chips", most),
               "allow more, or leave one of them out"});
}

/// Those that the engine runs; a degree that was given stays, and the answer says what its engine makes of it.
std::vector<Layout> run_by_engine(std::vector<Layout> layouts, const ServingQuestion& q, const ServingGround& ground,
                                  const Library& library) {
  const Engine* engine = find_engine(library, q.engine).facts;
  const bool given_any = q.tensor || q.pipeline || q.context || q.attention_data || q.expert || q.redundant_experts;
  if (engine == nullptr) return layouts;
  const bool has_experts = ground.model->experts() != nullptr;
  std::vector<Layout> kept;
  for (const Layout& layout : layouts) {
    if (runs(*engine, layout, has_experts)) kept.push_back(layout);
  }
  return kept.empty() && given_any ? layouts : kept;
}

/// Of each expert degree, once: layouts have few.
std::map<double, double> busiest_of(const std::vector<Layout>& layouts) {
  std::map<double, double> busiest;
  for (const Layout& layout : layouts) {
    const auto [known, is_new] = busiest.try_emplace(layout.expert, 0.0);
    if (is_new) known->second = expected_largest(layout.expert);
  }
  return busiest;
}

/// Of these layouts the ones that no other makes pointless. How long a cache takes to move matters to a promise about the
/// first token alone.
std::vector<PrefillChoice> prefill_choices(const DeploymentGround& ground, const std::vector<Layout>& layouts,
                                           double price_ratio, bool has_slo) {
  StepOperations plan;
  ServingLoad<double> load = ground.load;
  load.disaggregated = true;  // no step of theirs is mixed
  std::vector<PrefillChoice> all, kept;
  const std::map<double, double> busiest = busiest_of(layouts);
  for (const Layout& layout : layouts) {
    lay_out_step(ground.shape, layout, ground.fabric, busiest.at(layout.expert), plan);
    const ChipMemory memory = prefill_memory_of(ground, plan);
    if (memory.longest_held.value() < 1 || lacks_link(plan, ground.rates.peak)) continue;
    const PrefillService service{prefill_pool<double>(plan, layout.chips(), memory.sequences.value(), ground.terms.isl),
                                 prefill_alone_time(plan, ground.rates, ground.engine, load)};
    all.push_back({layout, service, chip_time(service.pool, service.alone) * price_ratio});
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

/// The layouts for prompts to try, with or without copies of popular experts: the one that was given, or `all`.
Result<std::vector<Layout>> prefill_layouts(const ServingQuestion& q, const PlanGround& ground,
                                            const std::vector<Layout>& all, bool balanced) {
  const auto with_copies = [&](Layout layout) {
    layout.redundant_experts = balanced ? copies_to_balance(*ground.model, layout.expert) : 0;
    layout.balanced = layout.redundant_experts > 0;
    return layout;
  };
  if (q.prefill_layout) {
    const auto possible = checked(with_copies(*q.prefill_layout), *ground.model);
    if (!possible) return fail(possible.error());
    return std::vector<Layout>{*possible};
  }
  std::vector<Layout> out;
  for (const Layout& layout : all) {
    const Layout own = with_copies(layout);
    if (q.redundant_experts || own.balanced == layout.balanced) out.push_back(own);
  }
  return out;
}

}  // namespace

Result<PlanGround> plan_ground(const PlanRequest& request, const PlanVariant& which, const Library& library) {
  ServingQuestion q = question_of(request, which);
  q.disaggregated =
      q.disaggregated || q.prefill_layout || q.prefill_machine;  // both modes are tried, each where it is asked for
  auto serving = serving_ground(q, library);
  if (!serving) return fail(serving.error());
  const auto elsewhere = prefill_ground_of(q, *serving, library);
  if (!elsewhere) return fail(elsewhere.error());
  const ServingGround* prefill = elsewhere->get();
  serving->numbers = changed(serving->numbers, request.change);
  PlanGround ground;
  static_cast<DeploymentGround&>(ground) = deployment_ground(*serving, {q.isl, q.osl, q.cached, 1});
  ground.which = which;
  ground.model = serving->model;
  ground.extrapolation = extrapolation_of(*serving);
  ground.assumed_price = assumed_price_of(*serving);
  ground.power = serving->numbers.power.value();
  ground.node = node_of(*serving->machine);
  ground.price = serving->numbers.price.value();
  ground.margins = {*serving, prefill, {q.isl, q.osl, q.cached, 1}, request.confidence, library};
  const auto layouts_on = [&](const ServingGround& there, const ServingQuestion& asked) -> Result<std::vector<Layout>> {
    const double domain = there.machine->chips.value;
    auto layouts = layouts_of(*ground.model, asked,
                              request.most_chips > 0 ? request.most_chips : std::min(kMostChips, domain), domain);
    if (!layouts) return layouts;
    // engines hide the all-to-all of experts behind the other batch; where there is none, a flag for it does nothing
    if (request.overlaps.size() > 1 && q.overlap == Overlap::two)
      std::erase_if(*layouts, [](const Layout& layout) { return layout.attention_data == 1 || layout.expert == 1; });
    return run_by_engine(std::move(*layouts), asked, there, library);
  };
  auto layouts = layouts_on(*serving, q);
  if (!layouts) return fail(layouts.error());
  ground.layouts = std::move(*layouts);
  ground.busiest = busiest_of(ground.layouts);
  if (request.disaggregated) {
    DeploymentGround prefill_on = ground;
    std::vector<Layout> all = ground.layouts;
    double price_ratio = 1;
    if (prefill != nullptr) {
      ServingQuestion free = q;  // degrees that are given are of the chips that decode
      free.tensor = free.pipeline = free.context = free.attention_data = free.expert = std::nullopt;
      auto others = layouts_on(*prefill, free);
      if (!others) return fail(others.error());
      all = std::move(*others);
      prefill_on = deployment_ground(*prefill, {q.isl, q.osl, q.cached, 1});
      fill_prefill_terms(ground.terms, *prefill);
      ground.terms.prefill_price /= serving->numbers.utilization.value();
      if (ground.terms.price > 0) price_ratio = ground.terms.prefill_price / ground.terms.price;
      ground.prefill_node = NodeTerms{node_of(*prefill->machine), prefill->numbers.price.value()};
      ground.prefill_power = prefill->numbers.power.value();
      ground.prefill_notes = notes_of_prefill(*prefill, *serving);
      ground.prefill_extrapolated = prefill->extrapolated;
      ground.prefill_price_assumed = price_is_assumed(*prefill);
    }
    const auto has = [&](bool balanced) {
      return std::any_of(ground.layouts.begin(), ground.layouts.end(),
                         [&](const Layout& layout) { return layout.balanced == balanced; });
    };
    for (const bool balanced : {false, true}) {
      if (!has(balanced)) continue;
      const auto tried = prefill_layouts(q, ground, all, balanced);
      if (!tried) return fail(tried.error());
      (balanced ? ground.balanced_prefill : ground.prefill) =
          prefill_choices(prefill_on, *tried, price_ratio, request.ttft.has_value());
    }
    if (prefill != nullptr && ground.prefill.empty() && ground.balanced_prefill.empty())
      ground.prefill_notes.push_back(fmt::format("no layout of {} has room for a prompt on {}, which is to prefill",
                                                 ground.model->title, prefill->machine->title));
  }
  return ground;
}

}  // namespace ridge
