// What runs over SIMD lanes, here over one: the entry points of the baseline, in a namespace of their own as everywhere.

#define ridge ridge_baseline
#define RIDGE_LANES_ENTRY ridge_decode_lanes_baseline
#define RIDGE_SERVING_LOADS ridge_serving_loads_baseline
#define RIDGE_POSTERIOR_ENTRY ridge_posterior_lanes_baseline

#include "search/lanes/decode_lanes.cpp"
#include "search/lanes/serving_lanes.cpp"
#include "search/posterior/posterior_lanes.cpp"
