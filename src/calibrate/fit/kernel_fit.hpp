#pragma once
// Chips and kernels from single measured kernels: all classes and chips in one fit.

#include "calibrate/evidence/calibration_set.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "library/library.hpp"

namespace ridge {

/// Where a fit starts and how firmly it believes that, before any row: one for each field.
struct Prior {
  double value = 1, spread = 1;
};
struct Priors {
  std::map<std::string, Prior> chip, kernel, engine, harness, step;
  std::map<std::string, Prior, std::less<>> library;  // of one library's kernels: library_kernel.hpp
  double serving_rows = 1;                            // measured runs that one prior counts as
};

/// Rows that this class of equation is about, with formats resolved; the others are counted in `left_out`.
struct KernelCases {
  std::vector<KernelCase> cases;
  std::map<std::string, std::size_t> left_out;  // by reason
};
KernelCases kernel_cases(const std::vector<KernelRow>& rows, const Library& library);

/// Datasheet peaks of a chip, with the fastest scale-up link of the machines that hold it.
ChipPeaks<double> peaks_of(const Chip& chip, const Library& library);

struct KernelFit {
  CalibrationSet set;
  std::map<std::string, double> spread;  // "h100-sxm.memory": standard deviation of the logarithm
  FitResult fit;
};

Result<KernelFit> fit_kernels(const std::vector<KernelCase>& cases, const Library& library, const Priors& priors);

double predict_kernel(const KernelCase& kernel, const CalibrationSet& set, const ChipPeaks<double>& peaks);

}  // namespace ridge
