#pragma once
// What passes of a measurement say of the machine they ran on (ridge probe): from samples to rates, from rates to peaks.

#include <optional>
#include <string>
#include <vector>

namespace ridge {

/// Passes of the same work, all by as many threads.
struct ProbeSeries {
  int threads = 1;
  std::vector<double> rates;  // of each pass: bytes or FLOP a second
};

/// Passes are dropped above so many times their median: no pass of the same work is that much faster, a clock was wrong.
inline constexpr double kMostOverMedian = 8;

/// What a series reached. Whoever else runs on a machine only slows a pass, so the best pass is the machine's own rate; the
/// median and the spread say how much others took of it.
struct ProbedRate {
  int threads = 1;
  int passes = 0, dropped = 0;
  double best = 0, median = 0;
  double spread = 0;  // between the quartiles, over the median

  /// Far from alone: most passes were slower than the best by more than a quarter.
  bool disturbed() const { return median < 0.8 * best; }
};

/// Nothing where no pass has a rate above zero.
std::optional<ProbedRate> probed_rate(const ProbeSeries& series);
/// One rate for each series that has any.
std::vector<ProbedRate> probed_rates(const std::vector<ProbeSeries>& series);
/// The fastest; of equals the one with fewer threads. Null where there is none.
const ProbedRate* fastest(const std::vector<ProbedRate>& rates);

/// 1, 2, 4, ... and all.
std::vector<int> thread_counts(int all);

/// A CPU, as measured. Rates are by threads; what was not measured is empty.
struct ProbedCpu {
  std::string title, vendor;
  std::string instructions;  // what the loops were compiled for: "AVX-512 VNNI"
  bool portable = false;     // no loop for this processor: rates are lower bounds
  int threads = 1;
  double memory = 0;                   // bytes
  std::vector<ProbedRate> read;        // bytes a second, from a buffer larger than the caches
  std::vector<ProbedRate> fp32, int8;  // multiply-adds in registers
  std::vector<ProbedRate> blocks;      // dot products of 8-bit blocks of 32 with a scale, in the cache
  std::string library;                 // "OpenBLAS 0.3.21 ..."; empty: not there
  std::vector<ProbedRate> sgemm, sbgemm;
  std::vector<std::string> missing;  // what was not measured, and why
};

/// A GPU, as measured by probes/cuda/chip.py.
struct ProbedGpu {
  std::string title, vendor, software;
  int devices = 1;
  double memory = 0;
  std::vector<ProbedRate> read, bf16, fp8, int8, fp32;
  std::vector<std::string> missing;
};

/// A number with what it is: "best of 40 passes by 2 threads, median 11.1, spread 4 %".
struct ProbedPeak {
  double value = 0;
  std::string note;
  bool disturbed = false;  // most passes were much slower: alone, the machine may be faster still
};

/// Peaks of a chip's entry. A product that ran faster than the loop in registers moves the peak up: a peak is never below what
/// was seen. Without any rate there is no peak.
struct ProbedPeaks {
  std::optional<ProbedPeak> bandwidth, bf16, fp8, int8, vector;
  std::optional<ProbedPeak> measured_bf16, measured_int8;  // products as software runs them

  /// Whether one of those that answers lean on most was: memory, vector units, matrix units.
  bool disturbed() const {
    for (const auto* peak : {&bandwidth, &vector, &bf16}) {
      if (*peak && (*peak)->disturbed) return true;
    }
    return false;
  }
};

ProbedPeaks peaks_of(const ProbedCpu& cpu);
ProbedPeaks peaks_of(const ProbedGpu& gpu);

}  // namespace ridge
