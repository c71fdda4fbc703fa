#pragma once
// Where the time of a decode step or of a prompt goes, and so the price of a token.

#include "serve/estimate.hpp"

namespace ridge {

/// The parts add up to the time of the step or prompt.
template <class S>
struct StepCosts {
  // The step's bound at datasheet peaks is max(compute, weights + context). It is divided among the three by what each
  // would take alone.
  Seconds<S> weights, context, compute;
  Seconds<S> network;     // what the wire adds, as calibrated, after overlap
  Seconds<S> below_peak;  // kernels that take longer than the bound
  Seconds<S> engine;      // the engine's own work around a step, and drafting
  Seconds<S> idle;        // chips that compute prompts alone and wait for the next
  Seconds<S> total() const { return weights + context + compute + network + below_peak + engine + idle; }
};

template <class S>
struct StepUse {
  Seconds<S> compute, weights, context;  // each alone, at datasheet peaks
  Seconds<S> kernels;                    // of the calibrated step, without the wire
  Seconds<S> step, engine;               // all of it; of that, around the kernels
  Seconds<S> idle{};                     // beside it
};

template <class S>
StepCosts<S> step_costs(const StepUse<S>& use) {
  const Seconds<S> memory = use.weights + use.context;
  const Seconds<S> bound = max(use.compute, memory);
  const Ratio<S> scale = bound / (use.compute + memory);
  return {.weights = named("weights", scale * use.weights),
          .context = named("context", scale * use.context),
          .compute = named("compute", scale * use.compute),
          .network = named("network", use.step - use.engine - use.kernels),
          .below_peak = named("below_peak", use.kernels - bound),
          .engine = named("engine", use.engine),
          .idle = use.idle};
}

/// Of a decode step under a load.
StepCosts<double> decode_costs(const ServingEstimate& estimate);

/// Of one prompt's prefill, by the same conventions.
StepCosts<double> prefill_costs(const ServingEstimate& estimate);

}  // namespace ridge
