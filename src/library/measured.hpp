#pragma once
// What somebody has measured of a chip, counted from catalog/evidence when the program is built.

#include <cmath>
#include <string>
#include <vector>

namespace ridge {

/// Serving runs under a stated load with a time per token: those that engines are fitted to.
struct MeasuredRuns {
  std::string engine, model;
  double count = 0;
};

/// From the least to the most that those runs had; none where `most` is 0.
struct MeasuredRange {
  double least = 0, most = 0;

  void include(double value) {
    least = most > 0 && least < value ? least : value;
    most = most > value ? most : value;
  }
  /// How far outside a value lies, in doublings; 0 within, and where nothing was measured.
  double doublings_beyond(double value) const;
};

struct MeasuredChip {
  std::string name;               // of the chip
  double kernels = 0, steps = 0;  // single kernels; whole steps by a plain program
  std::vector<MeasuredRuns> runs;
  std::vector<std::string> layouts;  // kinds that those runs had: LayoutKind by name
  MeasuredRange sequences, tokens;   // of those runs: in flight on a group of chips that shares them; of a request, all
  double other_runs = 0;             // credible runs that no fit uses: static batches, the most that a queue gets, ...
};

inline double MeasuredRange::doublings_beyond(double value) const {
  if (!(most > 0) || !(value > 0)) return 0;
  return value > most ? std::log2(value / most) : value < least ? std::log2(least / value) : 0;
}

}  // namespace ridge
