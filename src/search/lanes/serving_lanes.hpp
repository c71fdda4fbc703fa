#pragma once
// Plain C entry points of search/lanes/serving_lanes.cpp, one per instruction set. What a pointer to const void means is said
// beside it: a type of namespace ridge, which the file knows under another name of the namespace. Both come from the
// same header and the same compiler, so they are the same bytes.

#include <cstddef>

/// What the figures of a case are written to: an element each.
struct RidgeServingColumns {
  double *tpot, *ttft, *prefill_share, *user_rate, *output_rate, *chips, *bill_per_output;
};

/// What all cases of a call share.
struct RidgeServingGround {
  const void* rates;   // ChipRates<double>
  const void* engine;  // EngineCalibration<double>
  const void* load;    // ServingLoad<double>, its concurrency and capacity apart
  const void* terms;   // ServingTerms, its chips apart
};

/// One layout under many loads, each with chips for its prompts.
struct RidgeServingLoads {
  const void* plan;  // StepOperations
  double capacity, chips;
  const double* concurrency;
  const double *pool_chips, *pool_at_once, *pool_cache;  // PrefillPool
  const double* prefill_alone;                           // seconds, in that pool
  std::size_t count;
};

/// Many layouts of the same kind, each under a load of its own; chips for prompts, if any, are laid out like the others.
struct RidgeServingLayouts {
  const void* shape;    // StepShape
  const void* fabric;   // Fabric
  const void* layouts;  // LayoutNumbers<double>, `count` of them
  const void* memory;   // MemoryShare
  double length;        // mean tokens of a sequence
  const double* concurrency;
  double* capacity;  // out: sequences that fit; below one the other figures mean nothing
  std::size_t count;
};

extern "C" {
void ridge_serving_loads_baseline(const RidgeServingGround*, const RidgeServingLoads*, const RidgeServingColumns*);
void ridge_serving_loads_avx2(const RidgeServingGround*, const RidgeServingLoads*, const RidgeServingColumns*);
void ridge_serving_loads_avx512(const RidgeServingGround*, const RidgeServingLoads*, const RidgeServingColumns*);
void ridge_serving_layouts_baseline(const RidgeServingGround*, const RidgeServingLayouts*, const RidgeServingColumns*);
void ridge_serving_layouts_avx2(const RidgeServingGround*, const RidgeServingLayouts*, const RidgeServingColumns*);
void ridge_serving_layouts_avx512(const RidgeServingGround*, const RidgeServingLayouts*, const RidgeServingColumns*);
}
