#pragma once
// Fitting a few positive numbers to many measured times. Errors count as ratios, a wild row counts for little more than
// a bad one, and every parameter has a prior: what no row speaks about stays where it was.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ridge {

struct FitParameter {
  std::string name;
  double start = 1;   // and the middle of the prior
  double spread = 1;  // of the prior, as a factor's logarithm: 0.1 is about 10 %
};

struct FittedParameter {
  std::string name;
  double value = 1;
  double spread = 0;  // standard deviation of its logarithm, the other parameters free
};

struct FitResult {
  std::vector<FittedParameter> parameters;
  double mean_error = 0;  // mean |predicted / measured - 1|
  std::size_t rows = 0;
  int iterations = 0;
};

/// Writes what the model says for every row with these values; positive.
using Predict = std::function<void(const std::vector<double>& values, std::vector<double>& predicted)>;

/// The ratio's logarithm from which on a row counts linearly, not squared, among many; and that row's noise.
inline constexpr double kUsualSoftness = 0.1;

/// Parameters that no row shares, and that may be moved together to see what each does: for each such set, which of its
/// parameters a row depends on (where on none, any of them). Each parameter stands in one set. A fit of many owners needs
/// a few dozen evaluations for its slopes, not one for each parameter.
using MovedTogether = std::vector<std::vector<std::size_t>>;

/// `prior_rows`: how many rows a prior counts as. `softness`: where a row begins to be a wild one.
Result<FitResult> fit_parameters(const std::vector<FitParameter>& parameters, const std::vector<double>& measured,
                                 const std::vector<double>& weights, const Predict& predict, double prior_rows = 1,
                                 double softness = kUsualSoftness, const MovedTogether& together = {});

}  // namespace ridge
