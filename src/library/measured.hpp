#pragma once
// What somebody has measured of a chip, counted from catalog/evidence when the program is built.

#include <string>
#include <vector>

namespace ridge {

/// Serving runs under a stated load with a time per token: those that engines are fitted to.
struct MeasuredRuns {
  std::string engine, model;
  double count = 0;
};

struct MeasuredChip {
  std::string name;               // of the chip
  double kernels = 0, steps = 0;  // single kernels; whole steps by a plain program
  std::vector<MeasuredRuns> runs;
  double other_runs = 0;  // credible runs that no fit uses: static batches, the most that a queue gets, ...
};

}  // namespace ridge
