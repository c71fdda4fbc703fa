#pragma once
// Measured runs predicted by fits that never saw them: what of the evidence is left out, in turn, and by how much each
// prediction is off. docs/theory/errors.md says what is made of it.

#include <array>

#include "calibrate/fit/calibrate.hpp"
#include "serve/error/error_spread.hpp"

namespace ridge {

/// One run under one fit that left it out.
struct LeftOutRun {
  std::string way, group;  // how it was left out ("model", "chip", "rows", ...), and with what
  std::size_t run = 0;     // which run it is, among those that fits see, and behind them those that none does
  Situation situation;     // as the fit left it
  /// ln(measured / predicted) by figure; none where the run does not tell.
  std::array<std::optional<double>, kSpreadFigures> log_ratio;
  double tpot = 0, output_rate = 0;  // as predicted: s, and output tok/s per chip, which not every run states
};

struct LeftOutRuns {
  /// Every run, left out in every way: with its model, its chip, its chip's kernels, its engine, its kind of layout, its
  /// end of the loads, all runs of its model, chip and engine together, or some runs alone.
  std::vector<LeftOutRun> seen_otherwise;
  /// Runs that no fit ever sees (Evidence::judged), by those that left out their model, their chip or its kernels, too.
  std::vector<LeftOutRun> never_seen;
};

Result<LeftOutRuns> left_out_runs(const Evidence& evidence, const Library& library, unsigned threads = 1);

/// So few in flight in a group of chips that a prompt hardly waits for others: TTFT is its own prefill.
bool few_in_flight(const RunCase& one);

/// What a library knows that has seen these runs alone.
Shelf<MeasuredChip> measured_by(const std::vector<const RunCase*>& cases);

}  // namespace ridge
