#pragma once
// Predictions against every measured row there is: how far off, which way, and which rows beat what physics allows.

#include "calibrate/evidence/noise.hpp"
#include "calibrate/fit/calibrate.hpp"

namespace ridge {

// Groups and lines that a gate on accuracy looks at.
inline constexpr std::string_view kTpotGroup = "TPOT", kThroughputGroup = "throughput";
inline constexpr std::string_view kHalvesGroup = "fitted to one half, judged on the other";
inline constexpr std::string_view kAggregated = "prefill not disaggregated";

struct ErrorSummary {
  std::size_t rows = 0;
  double bias = 0, mean = 0, p90 = 0;  // shares: mean of (predicted / measured - 1), of its size, and 90th percentile
};

struct ValidationLine {
  std::string group;  // "kernels", "TPOT", "TTFT", "throughput"
  std::string name;   // "matrix products", "inferencex"
  ErrorSummary errors;
  std::string worst;  // the program or configuration with the largest mean error
  double worst_error = 0;
  std::size_t worst_rows = 0;
};

/// A time as it was predicted and as it was measured, in seconds: what charts show.
struct JudgedPoint {
  std::string part, group;  // a chart's panel, and what is told apart in it
  double measured = 0, predicted = 0;
};
struct JudgedPoints {
  std::vector<JudgedPoint> tpot, prefill, kernels;  // by model; by what was timed; by class and chip
};

/// A row faster than its bound: a wrong row, speculative decoding or a wrong peak until somebody explains it.
struct Suspect {
  std::string set, what;
  double measured = 0, bound = 0;  // s
};

struct Validation {
  std::vector<ValidationLine> lines;
  std::vector<Suspect> suspects;
  std::size_t bounded = 0;                      // rows that were held against a bound
  std::map<std::string, std::size_t> left_out;  // by reason
  JudgedPoints points;
  std::vector<NoiseLine> noise;  // of the same runs, where they were repeated
};

Validation validate(const Evidence& evidence, const Library& library);

enum class LeaveOut { model, chip, chip_and_kernels };

/// Time per token of each group, predicted by a fit that never saw it; where models are left out, also the time to the
/// first token.
struct LeftOut {
  std::vector<ValidationLine> lines;  // one for each group, then dense, mixture of experts and all
  JudgedPoints points;
  std::string left_out;  // "model" or "chip": of what the points are
};
Result<LeftOut> leave_one_out(const Evidence& evidence, const Library& library, LeaveOut by, unsigned threads = 1);

ErrorSummary summary_of(std::vector<double> errors);

/// Errors by name, and within each name by finer part.
class ErrorsByPart {
 public:
  void add(const std::string& name, const std::string& part, double error) { errors_[name][part].push_back(error); }
  std::vector<ValidationLine> lines(const std::string& group) const;

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> errors_;
};

}  // namespace ridge
