#include "serve/memory.hpp"

#include "library/calibrations.hpp"
#include "serve/serving_figures.hpp"

namespace ridge {

MemoryShare memory_share(const Engine& engine, std::optional<double> utilization, Bytes<double> there,
                         const Library& library) {
  return {engine.memory_rule.value, utilization.value_or(engine.memory_utilization.at(there)), there.value(),
          process_reserve(library).value()};
}

ChipMemory chip_memory(const StepOperations& plan, const MemoryShare& share, double token_budget, double length) {
  const double weights = weights_held(plan), activations = activations_held(plan, token_budget);
  ChipMemory memory;
  memory.there = Bytes<double>(share.there);
  memory.weights = Bytes<double>(weights);
  memory.activations = Bytes<double>(activations);
  memory.process = Bytes<double>(share.process);
  memory.usable = Bytes<double>(usable_memory(share, weights, activations));
  memory.cache = memory.usable - memory.weights - memory.activations - memory.process;
  memory.sequences = sequences_that_fit(plan, share, token_budget, length);
  memory.cache_tokens = memory.sequences / plan.attention_data * length;
  return memory;
}

}  // namespace ridge
