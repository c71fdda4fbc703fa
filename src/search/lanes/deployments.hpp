#pragma once
// Figures of many deployments at once, over SIMD lanes as wide as this machine has: one layout under many loads.

#include <vector>

#include "search/lanes/decode_columns.hpp"
#include "serve/deployment.hpp"
#include "serve/serving_figures.hpp"
#include "serve/step/step_shape.hpp"

namespace ridge {

/// What neither a layout nor a load changes.
struct DeploymentGround {
  StepShape shape;
  Fabric fabric;
  ChipRates<double> rates;
  EngineCalibration<double> engine;
  ServingLoad<double> load;  // its concurrency and capacity apart
  ServingTerms terms;        // its chips apart
  MemoryTerms memory;        // of a chip
};

/// A resolved ground under a load's lengths.
DeploymentGround deployment_ground(const ServingGround& serving, const RequestLoad& lengths);

/// What a chip of a layout holds with the ground's requests, and where it computes prompts alone.
ChipMemory memory_of(const DeploymentGround& ground, const StepOperations& operations);
ChipMemory prefill_memory_of(const DeploymentGround& ground, const StepOperations& operations);

/// An element for each case. Vectors keep their memory from one call to the next.
struct DeploymentFigures {
  std::vector<double> tpot, ttft, prefill_share, user_rate, output_rate, chips, bill_per_output;

  void resize(std::size_t cases);
};

/// The chips that compute prompts, with what one takes there.
struct PrefillService {
  PrefillPool pool;
  Seconds<double> alone{};
};

/// Loads, each with the chips that compute its prompts. Where those are the ones that decode, their time alone counts.
struct DeploymentLoads {
  std::vector<double> concurrency;
  std::vector<double> pool_chips, pool_at_once, pool_cache, prefill_alone;

  void clear();
  void add(double requests, const PrefillService& prompts);
  std::size_t size() const { return concurrency.size(); }
};

/// One layout under many loads: what does not depend on them is computed once.
void figures_of_loads(const DeploymentGround& ground, const StepOperations& plan, double chips, double capacity,
                      bool apart, const DeploymentLoads& loads, InstructionSet set, DeploymentFigures& out);

}  // namespace ridge
