#pragma once
// Whether intervals hold: how many runs that were left out lie inside them, where each run's interval is made from the
// errors of other runs alone.

#include "calibrate/fit/spread_fit.hpp"

namespace ridge {

/// Runs that are counted together.
struct CoverageLine {
  std::string group, name;  // "TPOT, left out with its model", "deepseek-r1"
  SpreadFigure figure = SpreadFigure::tpot;
  std::size_t runs = 0;
  std::array<double, kLevels.size()> inside{};  // share of them within the interval of each level
  double width = 0;                             // mean ln(high / low) at 80 %
  double error = 0;                             // mean size of ln(measured / predicted)
};

struct Coverage {
  std::vector<CoverageLine> lines;
  std::vector<std::string> failures;  // what breaks the gate, in words
};

/// Shares between which the intervals of a level hold, and how wide they may be.
struct CoverageGate {
  std::array<double, kLevels.size()> least{}, most{};
  double widest = 0;  // mean width at 80 % over the mean error
};
inline constexpr CoverageGate kCoverageGate = {{0.45, 0.73, 0.90}, {0.57, 0.87, 0.98}, 3.5};

/// Lines for all runs of a figure, by how they were left out and with what, by dense and experts, and by layout. The gate
/// is about all runs of a figure together.
Coverage coverage_of(const std::vector<LeftOutRun>& runs, const SpreadPrior& prior);

}  // namespace ridge
