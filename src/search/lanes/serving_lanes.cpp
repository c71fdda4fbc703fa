// Whole deployments over SIMD lanes: the same equations as an answer's (serve/step/steady.ipp), with a load in each lane, or a
// layout and a load. Compiled once per instruction set with the namespace renamed, like search/lanes/decode_lanes.cpp.

#include "search/lanes/serving_lanes.hpp"

#include <array>

#include "search/lanes/lanes_arrays.hpp"
#include "serve/chip_memory.hpp"
#include "serve/serving_figures.ipp"
#include "serve/step/steady.ipp"
#include "serve/step/step_operations.ipp"

namespace ridge {
namespace {

constexpr std::size_t kLanes = static_cast<std::size_t>(Lanes::size());

/// The same numbers in every lane.
template <class To, class From>
To in_all_lanes(const From& from) {
  std::array<double, 64> values{};
  std::size_t count = 0, i = 0;
  From::visit_fields(from, [&](std::string_view, const auto& field) { values[count++] = field.value(); });
  To to;
  To::visit_fields(to, [&]<Dimension D>(std::string_view, Quantity<D, Lanes>& field) {
    field = Quantity<D, Lanes>(Lanes(values[i++]));
  });
  return to;
}
template <Dimension D>
void spread(Quantity<D, Lanes>& to, const Quantity<D, double>& from) {
  to = Quantity<D, Lanes>(Lanes(from.value()));
}

ChipRates<Lanes> in_all_lanes(const ChipRates<double>& from) {
  ChipRates<Lanes> to;
  for (std::size_t i = 0; i < kPrecisions; ++i) spread(to.peak.matrix[i], from.peak.matrix[i]);
  spread(to.peak.memory, from.peak.memory);
  spread(to.peak.scale_up, from.peak.scale_up);
  spread(to.peak.scale_out, from.peak.scale_out);
  to.chip = in_all_lanes<ChipCalibration<Lanes>>(from.chip);
  to.kernel = in_all_lanes<KernelCalibration<Lanes>>(from.kernel);
  return to;
}

ServingLoad<Lanes> in_all_lanes(const ServingLoad<double>& from) {
  ServingLoad<Lanes> to;
  spread(to.prompt, from.prompt);
  spread(to.answer, from.answer);
  spread(to.cached, from.cached);
  spread(to.acceptance_rate, from.acceptance_rate);
  to.speculative_tokens = from.speculative_tokens;
  to.draft_layers = from.draft_layers;
  to.token_budget = from.token_budget;
  to.overlap = from.overlap;
  to.disaggregated = from.disaggregated;
  return to;
}

MemoryTermsOf<Lanes> in_all_lanes(const MemoryTerms& from) {
  return {Bytes<Lanes>(Lanes(from.there.value())), Bytes<Lanes>(Lanes(from.process.value())),
          Ratio<Lanes>(Lanes(from.utilization.value())), from.rule, from.token_budget};
}

struct Ground {
  explicit Ground(const RidgeServingGround& from)
      : terms(*static_cast<const ServingTerms*>(from.terms)),
        rates(in_all_lanes(*static_cast<const ChipRates<double>*>(from.rates))),
        engine(in_all_lanes<EngineCalibration<Lanes>>(*static_cast<const EngineCalibration<double>*>(from.engine))),
        load(in_all_lanes(*static_cast<const ServingLoad<double>*>(from.load))) {}

  ServingTerms terms;
  ChipPaces<Lanes> rates;
  EngineCalibration<Lanes> engine;
  ServingLoad<Lanes> load;
};

template <class N>
ServingTermsOf<N> with_chips(const ServingTerms& terms, const N& chips) {
  return {terms.isl, terms.osl, terms.price, chips, terms.replicas, terms.disaggregated, terms.networked};
}

template <class N>
RIDGE_FLATTEN void figure(const Ground& ground, const StepOperationsOf<N>& plan, const N& chips,
                          const PrefillPoolOf<Lanes>& pool, const Seconds<Lanes>& alone, const RidgeServingColumns& to,
                          std::size_t first, std::size_t left) {
  const auto times = serving_times(plan, ground.rates, ground.engine, ground.load, alone);
  const auto figures = serving_figures(plan, ground.rates, times, with_chips(ground.terms, chips), pool);
  store_some(times.tpot.value(), to.tpot + first, left);
  store_some(figures.ttft.value(), to.ttft + first, left);
  store_some(times.prefill_share.value(), to.prefill_share + first, left);
  store_some(figures.user_rate, to.user_rate + first, left);
  store_some(figures.output_rate, to.output_rate + first, left);
  store_some(figures.chips, to.chips + first, left);
  store_some(figures.bill_per_output, to.bill_per_output + first, left);
}

void run_loads(const RidgeServingGround& given, const RidgeServingLoads& cases, const RidgeServingColumns& to) {
  Ground ground(given);
  const auto& plan = *static_cast<const StepOperations*>(cases.plan);
  ground.load.capacity = Ratio<Lanes>(Lanes(cases.capacity));
  for (std::size_t first = 0; first < cases.count; first += kLanes) {
    const std::size_t left = cases.count - first;
    ground.load.concurrency = Ratio<Lanes>(load_some(cases.concurrency + first, left));
    const auto some = [&](const double* column) { return load_some(column + first, left); };
    const PrefillPoolOf<Lanes> pool{some(cases.pool_chips), some(cases.pool_at_once), some(cases.pool_cache)};
    figure(ground, plan, cases.chips, pool, Seconds<Lanes>(some(cases.prefill_alone)), to, first, left);
  }
}

/// A field of several layouts, one in each lane; the last is repeated where there are fewer.
Lanes gathered(const LayoutNumbers<double>* layouts, std::size_t left, double LayoutNumbers<double>::*field) {
  std::array<double, kLanes> values;
  for (std::size_t i = 0; i < kLanes; ++i) values[i] = layouts[i < left ? i : left - 1].*field;
  return Lanes::load(values.data());
}

LayoutNumbers<Lanes> in_lanes(const LayoutNumbers<double>* layouts, std::size_t left) {
  using L = LayoutNumbers<double>;
  LayoutNumbers<Lanes> out;
  out.tensor = gathered(layouts, left, &L::tensor);
  out.pipeline = gathered(layouts, left, &L::pipeline);
  out.context = gathered(layouts, left, &L::context);
  out.attention_data = gathered(layouts, left, &L::attention_data);
  out.expert = gathered(layouts, left, &L::expert);
  out.redundant_experts = gathered(layouts, left, &L::redundant_experts);
  out.deviations = gathered(layouts, left, &L::deviations);
  out.kind = layouts->kind;
  return out;
}

RIDGE_FLATTEN Seconds<Lanes> prefill_alone(const Ground& ground, const StepOperationsOf<Lanes>& plan) {
  return prefill_alone_time(plan, ground.rates, ground.engine, ground.load);
}

void run_layouts(const RidgeServingGround& given, const RidgeServingLayouts& cases, const RidgeServingColumns& to) {
  Ground ground(given);
  const auto& shape = *static_cast<const StepShape*>(cases.shape);
  const auto& fabric = *static_cast<const Fabric*>(cases.fabric);
  const auto* layouts = static_cast<const LayoutNumbers<double>*>(cases.layouts);
  const MemoryTermsOf<Lanes> memory = in_all_lanes(*static_cast<const MemoryTerms*>(cases.memory));
  StepOperationsOf<Lanes> plan;
  for (std::size_t first = 0; first < cases.count; first += kLanes) {
    const std::size_t left = cases.count - first;
    const LayoutNumbers<Lanes> layout = in_lanes(layouts + first, left);
    lay_out_step(shape, layout, fabric, plan);
    const auto holds = [&](double tokens) {
      return chip_memory<Lanes>(plan, memory, Tokens<Lanes>(Lanes(tokens))).sequences.value();
    };
    const Lanes capacity = holds(cases.length);
    store_some(capacity, cases.capacity + first, left);
    ground.load.capacity = Ratio<Lanes>(capacity);
    ground.load.concurrency = Ratio<Lanes>(load_some(cases.concurrency + first, left));
    const Lanes chips = layout.chips_per_stage() * layout.pipeline;
    const Lanes room = holds(ground.terms.isl);
    const auto pool = prefill_pool(plan, chips, room, Lanes(ground.terms.isl));
    figure(ground, plan, chips, pool, prefill_alone(ground, plan), to, first, left);
  }
}

}  // namespace
}  // namespace ridge

extern "C" void RIDGE_SERVING_LOADS(const RidgeServingGround* ground, const RidgeServingLoads* cases,
                                    const RidgeServingColumns* columns) {
  ridge::run_loads(*ground, *cases, *columns);
}

extern "C" void RIDGE_SERVING_LAYOUTS(const RidgeServingGround* ground, const RidgeServingLayouts* cases,
                                      const RidgeServingColumns* columns) {
  ridge::run_layouts(*ground, *cases, *columns);
}
