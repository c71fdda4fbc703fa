#pragma once
// Plain C entry points of search/posterior/posterior_lanes.cpp, one per instruction set.

#include <cstddef>

/// An equation of the sheet and the unknown that it is solved for: the observable is proportional to the unknown, or to
/// its inverse.
struct RidgeSolvedFor {
  int present;      // 0: the sheet does not say
  int unknown;      // index; -1: nothing to solve for, so that draws which come near are kept
  int rising;       // proportional, else inversely
  double observed;  // the sheet's number
};

struct RidgePosteriorTerms {
  double low[16], high[16];  // of every unknown
  double kv_low, kv_high;    // bytes of context a token
  RidgeSolvedFor long_above, long_output, fast, input, output, cached;
  double fast_load, fast_speed;
};

// uniforms: one row of `count` numbers in [0, 1) for each unknown. unknowns: a row for each, filled. derived: total
// parameters, context bytes a token, those for each active parameter. weight: 0 for what contradicts the sheet.
extern "C" {
void ridge_posterior_lanes_baseline(const RidgePosteriorTerms* terms, const double* const* uniforms, std::size_t count,
                                    double* const* unknowns, double* const* derived, double* weight);
void ridge_posterior_lanes_avx2(const RidgePosteriorTerms* terms, const double* const* uniforms, std::size_t count,
                                double* const* unknowns, double* const* derived, double* weight);
void ridge_posterior_lanes_avx512(const RidgePosteriorTerms* terms, const double* const* uniforms, std::size_t count,
                                  double* const* unknowns, double* const* derived, double* weight);
}
