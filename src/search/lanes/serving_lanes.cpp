// Whole deployments over SIMD lanes: the same equations as an answer's (serve/step/steady.ipp), with a load in each
// lane. Compiled once per instruction set with the namespace renamed, like search/lanes/decode_lanes.cpp.

#include "search/lanes/serving_lanes.hpp"

#include <array>

#include "search/lanes/lanes_arrays.hpp"
#include "serve/serving_figures.ipp"
#include "serve/step/steady.ipp"

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
  spread(to.peak.hop, from.peak.hop);
  to.chip = in_all_lanes<ChipCalibration<Lanes>>(from.chip);
  to.kernel = in_all_lanes<KernelCalibration<Lanes>>(from.kernel);
  return to;
}

ServingLoad<Lanes> in_all_lanes(const ServingLoad<double>& from) {
  ServingLoad<Lanes> to;
  spread(to.prompt, from.prompt);
  spread(to.answer, from.answer);
  spread(to.cached, from.cached);
  spread(to.capacity, from.capacity);
  spread(to.acceptance_rate, from.acceptance_rate);
  to.speculative_tokens = from.speculative_tokens;
  to.draft_layers = from.draft_layers;
  to.token_budget = from.token_budget;
  to.overlap = from.overlap;
  to.composed_early = from.composed_early;
  to.captured_tokens = from.captured_tokens;
  to.disaggregated = from.disaggregated;
  to.decodes = from.decodes;
  return to;
}

ServingTermsOf<Lanes> in_all_lanes(const ServingTerms& from) {
  return {Lanes(from.isl),        Lanes(from.osl),    Lanes(from.price), from.chips,
          from.replicas,          from.disaggregated, from.networked,    from.decodes,
          from.prefill_elsewhere, from.prefill_price, from.prefill_link};
}

/// What all loads share.
struct Ground {
  explicit Ground(const RidgeServingLoads& from)
      : plan(*static_cast<const StepOperations*>(from.plan)),
        rates(in_all_lanes(*static_cast<const ChipRates<double>*>(from.rates))),
        engine(in_all_lanes<EngineCalibration<Lanes>>(*static_cast<const EngineCalibration<double>*>(from.engine))),
        load(in_all_lanes(*static_cast<const ServingLoad<double>*>(from.load))),
        terms(in_all_lanes(*static_cast<const ServingTerms*>(from.terms))) {}

  const StepOperations& plan;
  ChipPaces<Lanes> rates;
  EngineCalibration<Lanes> engine;
  ServingLoad<Lanes> load;  // its concurrency is that of the lanes at hand
  ServingTermsOf<Lanes> terms;
};

RIDGE_FLATTEN void figure(const Ground& ground, const PrefillPoolOf<Lanes>& pool, const Seconds<Lanes>& alone,
                          const RidgeServingColumns& to, std::size_t first, std::size_t left) {
  const auto times = serving_times(ground.plan, ground.rates, ground.engine, ground.load, alone);
  const auto figures = serving_figures(ground.plan, ground.rates, times, ground.terms, pool);
  store_some(times.tpot.value(), to.tpot + first, left);
  store_some(figures.ttft.value(), to.ttft + first, left);
  store_some(times.prefill_share.value(), to.prefill_share + first, left);
  store_some(figures.user_rate, to.user_rate + first, left);
  store_some(figures.output_rate, to.output_rate + first, left);
  store_some(figures.chips, to.chips + first, left);
  store_some(figures.bill_per_output, to.bill_per_output + first, left);
}

void run_loads(const RidgeServingLoads& cases, const RidgeServingColumns& to) {
  Ground ground(cases);
  for (std::size_t first = 0; first < cases.count; first += kLanes) {
    const std::size_t left = cases.count - first;
    const auto some = [&](const double* column) { return load_some(column + first, left); };
    ground.load.concurrency = Ratio<Lanes>(some(cases.concurrency));
    const PrefillPoolOf<Lanes> pool{some(cases.pool_chips), some(cases.pool_at_once), some(cases.pool_cache)};
    figure(ground, pool, Seconds<Lanes>(some(cases.prefill_alone)), to, first, left);
  }
}

}  // namespace
}  // namespace ridge

extern "C" void RIDGE_SERVING_LOADS(const RidgeServingLoads* cases, const RidgeServingColumns* columns) {
  ridge::run_loads(*cases, *columns);
}
