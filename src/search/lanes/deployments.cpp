#include "search/lanes/deployments.hpp"

#include <cassert>

#include "search/lanes/chosen_entry.hpp"
#include "search/lanes/serving_lanes.hpp"
#include "serve/estimate.hpp"

namespace ridge {

namespace {

/// The parts of a ground that differ between aggregated and disaggregated prefill.
struct PrefillMode {
  PrefillMode(const DeploymentGround& ground, bool apart) : load(ground.load), terms(ground.terms) {
    load.disaggregated = terms.disaggregated = apart;
    plain = {&ground.rates, &ground.engine, &load, &terms};
  }
  ServingLoad<double> load;
  ServingTerms terms;
  RidgeServingGround plain;
};

RidgeServingColumns columns_of(DeploymentFigures& out) {
  return {out.tpot.data(),        out.ttft.data(),  out.prefill_share.data(),  out.user_rate.data(),
          out.output_rate.data(), out.chips.data(), out.bill_per_output.data()};
}

}  // namespace

void DeploymentFigures::resize(std::size_t cases) {
  for (auto* column : {&tpot, &ttft, &prefill_share, &user_rate, &output_rate, &chips, &bill_per_output, &capacity}) {
    column->resize(cases);
  }
}

void DeploymentLoads::clear() {
  for (auto* column : {&concurrency, &pool_chips, &pool_at_once, &pool_cache, &prefill_alone}) column->clear();
}

void DeploymentLoads::add(double requests, const PrefillService& prompts) {
  concurrency.push_back(requests);
  pool_chips.push_back(prompts.pool.chips);
  pool_at_once.push_back(prompts.pool.at_once);
  pool_cache.push_back(prompts.pool.cache);
  prefill_alone.push_back(prompts.alone.value());
}

DeploymentGround deployment_ground(const ServingGround& serving, const RequestLoad& lengths) {
  const EngineSettings& engine = serving.engine;
  const ServingCase<double>& c = serving.numbers;
  DeploymentGround out;
  out.shape = serving.shape;
  out.fabric = serving.fabric;
  out.rates = c.rates();
  out.engine = c.engine;
  out.load = serving_load(serving, lengths, 1);
  out.terms.isl = lengths.isl;
  out.terms.osl = lengths.osl;
  out.terms.price = c.price.value() / c.utilization.value();
  out.terms.disaggregated = engine.disaggregated;
  out.terms.networked = serving.networked();
  out.memory = serving.memory_terms();
  return out;
}

double sequences_that_fit(const DeploymentGround& ground, const StepOperations& operations, double tokens) {
  return chip_memory(operations, ground.memory, Tokens<double>(tokens)).sequences.value();
}

void figures_of_loads(const DeploymentGround& ground, const StepOperations& plan, double chips, double capacity,
                      bool apart, const DeploymentLoads& loads, InstructionSet set, DeploymentFigures& out) {
  out.resize(loads.size());
  const PrefillMode mode(ground, apart);
  const RidgeServingLoads cases{&plan,
                                capacity,
                                chips,
                                loads.concurrency.data(),
                                loads.pool_chips.data(),
                                loads.pool_at_once.data(),
                                loads.pool_cache.data(),
                                loads.prefill_alone.data(),
                                loads.size()};
  const RidgeServingColumns columns = columns_of(out);
  const auto run =
      chosen_entry<&ridge_serving_loads_baseline, &ridge_serving_loads_avx2, &ridge_serving_loads_avx512>(set);
  run(&mode.plain, &cases, &columns);
}

void figures_of_layouts(const DeploymentGround& ground, const std::vector<LayoutNumbers<double>>& layouts, bool apart,
                        const std::vector<double>& loads, InstructionSet set, DeploymentFigures& out) {
  assert(layouts.size() == loads.size());
  out.resize(loads.size());
  const PrefillMode mode(ground, apart);
  const RidgeServingLayouts cases{&ground.shape,   &ground.fabric, layouts.data(),      &ground.memory,
                                  ground.length(), loads.data(),   out.capacity.data(), loads.size()};
  const RidgeServingColumns columns = columns_of(out);
  const auto run =
      chosen_entry<&ridge_serving_layouts_baseline, &ridge_serving_layouts_avx2, &ridge_serving_layouts_avx512>(set);
  run(&mode.plain, &cases, &columns);
}

}  // namespace ridge
