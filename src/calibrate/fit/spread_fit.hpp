#pragma once
// The parts of an error, from runs that were left out of fits: a few mean sizes that add in squares, each held by a prior
// where few groups of runs speak about it, and how far 50, 80 and 95 % of the errors reach.

#include <set>

#include "calibrate/judge/left_out.hpp"
#include "serve/error/error_spread.hpp"

namespace ridge {

/// What is believed of a part before any run: catalog/calibration/spread-prior.toml.
struct SpreadPrior {
  double share = 0.5;   // of the mean error of all runs that were left out
  double groups = 1;    // of runs that the prior counts as
  double half_at = 10;  // runs of one group with which it counts half of what any number of them would
};
SpreadPrior spread_prior(const Library& library);

/// Runs that were left out together and are in one situation: their errors are not independent.
struct ErrorGroup {
  std::array<double, kSpreadParts> times{};  // see parts_of: their mean
  double error = 0;                          // mean size of ln(measured / predicted)
  double runs = 0;
};

/// Mean sizes by part.
using PartSizes = std::array<double, kSpreadParts>;

/// What is believed where nothing else is: every part this share of the mean error of all runs.
PartSizes believed_parts(const std::vector<ErrorGroup>& groups, const SpreadPrior& prior);

/// The mean sizes under which these groups are likeliest: squares add, and each group's error is taken as one draw.
PartSizes fit_parts(const std::vector<ErrorGroup>& groups, const PartSizes& believed, const SpreadPrior& prior);

/// The value that a share of these lies at or below, between two of them linearly; 0 of none.
double quantile(std::vector<double> values, double share);

/// `runs`: which of the left-out ones to learn from. Throughput starts from what is found for TPOT, whose inverse it nearly
/// is, and prefill from TTFT: fewer runs tell of them.
FigureSpread fit_spread(const std::vector<const LeftOutRun*>& runs, SpreadFigure figure, const SpreadPrior& prior);

/// The same from runs that are none of these, however they were left out: what is known of them by others' errors.
FigureSpread spread_from_others(const std::vector<LeftOutRun>& runs, const std::set<std::size_t>& without,
                                SpreadFigure figure, const SpreadPrior& prior);

/// The entry that answers read: parts, reaches, and how many left-out runs spoke about each part.
CalibrationEntry spread_entry(const std::vector<LeftOutRun>& runs, const SpreadPrior& prior);

}  // namespace ridge
