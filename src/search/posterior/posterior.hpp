#pragma once
// Many providers that explain a price sheet, drawn from what was believed before and weighed by the sheet.

#include <array>
#include <cstdint>
#include <vector>

#include "price/infer/infer.hpp"
#include "search/lanes/decode_columns.hpp"

namespace ridge {

/// How one quantity is spread over the samples: weights in bins that are even on a logarithmic scale.
struct Marginal {
  Interval range;
  std::vector<double> bins;
  double low = 0, median = 0, high = 0;  // 2.5 %, 50 %, 97.5 %
};

struct Posterior {
  std::uint64_t samples = 0, accepted = 0;
  double effective = 0;  // samples of equal weight that would say as much
  double evidence = 0;  // how likely the sheet was, against beliefs that have the same unknowns as other single numbers
  std::array<Marginal, kInferred> marginals;
};

struct SampleRequest {
  std::uint64_t samples = 1'000'000;
  std::uint64_t seed = 1;
  unsigned threads = 1;                           // the answer does not depend on it
  InstructionSet set = InstructionSet::baseline;  // nor on this
};

Posterior sample_posterior(const Inference& inference, const SampleRequest& request);

}  // namespace ridge
