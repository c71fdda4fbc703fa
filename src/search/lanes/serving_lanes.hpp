#pragma once
// Plain C entry points of search/lanes/serving_lanes.cpp, one per instruction set. What a pointer to const void means is said
// beside it: a type of namespace ridge, which the file knows under another name of the namespace. Both come from the
// same header and the same compiler, so they are the same bytes.

#include <cstddef>

/// What the figures of a case are written to: an element each.
struct RidgeServingColumns {
  double *tpot, *ttft, *prefill_share, *user_rate, *output_rate, *chips, *bill_per_output;
};

/// One layout under many loads, each with chips for its prompts.
struct RidgeServingLoads {
  const void* plan;    // StepOperations
  const void* rates;   // ChipRates<double>
  const void* engine;  // EngineCalibration<double>
  const void* load;    // ServingLoad<double>, its concurrency apart
  const void* terms;   // ServingTerms
  const double* concurrency;
  const double *pool_chips, *pool_at_once, *pool_cache;  // PrefillPool
  const double* prefill_alone;                           // seconds, in that pool
  std::size_t count;
};

extern "C" {
void ridge_serving_loads_baseline(const RidgeServingLoads*, const RidgeServingColumns*);
void ridge_serving_loads_avx2(const RidgeServingLoads*, const RidgeServingColumns*);
void ridge_serving_loads_avx512(const RidgeServingLoads*, const RidgeServingColumns*);
}
