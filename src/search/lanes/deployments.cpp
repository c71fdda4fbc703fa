#include "search/lanes/deployments.hpp"

#include "search/lanes/chosen_entry.hpp"
#include "search/lanes/serving_lanes.hpp"
#include "serve/estimate.hpp"

namespace ridge {

namespace {

RidgeServingColumns columns_of(DeploymentFigures& out) {
  return {out.tpot.data(),        out.ttft.data(),  out.prefill_share.data(),  out.user_rate.data(),
          out.output_rate.data(), out.chips.data(), out.bill_per_output.data()};
}

}  // namespace

void DeploymentFigures::resize(std::size_t cases) {
  for (auto* column : {&tpot, &ttft, &prefill_share, &user_rate, &output_rate, &chips, &bill_per_output}) {
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

ChipMemory memory_of(const DeploymentGround& ground, const StepOperations& operations) {
  return chip_memory(operations, ground.memory,
                     request_lengths(Tokens<double>(ground.terms.isl), Tokens<double>(ground.terms.osl)));
}

ChipMemory prefill_memory_of(const DeploymentGround& ground, const StepOperations& operations) {
  const Tokens<double> prompt(ground.terms.isl);
  return chip_memory(operations, ground.memory, {prompt, prompt});
}

void figures_of_loads(const DeploymentGround& ground, const StepOperations& plan, double chips, double capacity,
                      bool apart, const DeploymentLoads& loads, InstructionSet set, DeploymentFigures& out) {
  out.resize(loads.size());
  ServingLoad<double> load = ground.load;
  ServingTerms terms = ground.terms;
  load.disaggregated = terms.disaggregated = apart;
  load.capacity = capacity;
  terms.chips = chips;
  const RidgeServingLoads cases{.plan = &plan,
                                .rates = &ground.rates,
                                .engine = &ground.engine,
                                .load = &load,
                                .terms = &terms,
                                .concurrency = loads.concurrency.data(),
                                .pool_chips = loads.pool_chips.data(),
                                .pool_at_once = loads.pool_at_once.data(),
                                .pool_cache = loads.pool_cache.data(),
                                .prefill_alone = loads.prefill_alone.data(),
                                .count = loads.size()};
  const RidgeServingColumns columns = columns_of(out);
  const auto run =
      chosen_entry<&ridge_serving_loads_baseline, &ridge_serving_loads_avx2, &ridge_serving_loads_avx512>(set);
  run(&cases, &columns);
}

}  // namespace ridge
