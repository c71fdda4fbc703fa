#pragma once
// Benchmark results against the whole answer: every metric a file states beside its prediction, where the time goes, how
// far from the bound, and what a change would bring.

#include "calibrate/anchor/anchor.hpp"
#include "serve/serving.hpp"

namespace ridge {

/// One metric of a run. Times in s, rates a second, over all chips.
struct ComparedFigure {
  std::string key, title;  // "tpot", "TPOT"
  bool is_time = true;
  double measured = 0, predicted = 0;
  FigureInterval interval{};  // of 80 %; both ends 0: not known

  double error() const { return predicted / measured - 1; }
  bool inside() const { return measured >= interval.low && measured <= interval.high; }
};

/// Where a measured TPOT goes: what the prediction gives to each part, and what is left over. s.
struct TimeShare {
  std::string key, title;
  double seconds = 0;
};

/// The same run with one thing changed, by the prediction: factors on what is predicted as it is.
struct ComparedChange {
  std::string what;                // "concurrency 32", with fields as fields
  double tpot = 1, chip_rate = 1;  // TPOT; output tok/s per chip
  bool faster() const { return tpot < 1; }
};

struct ComparedRun {
  BenchmarkResult result;
  std::optional<ServingAnswer> answer;  // none: it cannot be predicted, or is no load
  AnchorFigure figure = AnchorFigure::tpot;
  std::string setting;                  // "Llama 3.1 8B, TP1 on MI300X platform, vllm"
  std::vector<ComparedFigure> figures;  // the first one is the time that the bound is of
  double bound = 0;                     // s: TPOT, a step or a prefill at datasheet peaks
  std::vector<TimeShare> shares;        // of a TPOT or a step
  std::vector<ComparedChange> changes;  // those worth it, the best first
  std::vector<std::string> notes;
  std::string unpredicted;  // why there is nothing to compare

  bool beats_bound() const { return !figures.empty() && figures.front().measured < bound; }
};

ComparedRun compared(BenchmarkResult result, const AnchorGiven& given, const Library& library);

/// measured = constant + slope * predicted, over the TPOT of several runs: a constant is engine overhead, a slope kernels.
struct ComparedTrend {
  std::size_t runs = 0;
  double constant = 0, slope = 1;   // s; by least squares of relative errors
  double bias = 0, mean_error = 0;  // of predicted / measured - 1
  double left = 0;                  // mean size of the relative error that the line leaves
};
/// Nothing for fewer than three runs without faults, or where all predictions are alike.
std::optional<ComparedTrend> trend_of(const std::vector<ComparedRun>& runs);

}  // namespace ridge
