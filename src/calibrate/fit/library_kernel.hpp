#pragma once
// A kernel as one library has it on one chip. The equation that all libraries share falls into parts, each the time of
// one thing it has to do; a library takes each of them as many times as its own rows say, and hides them behind each
// other as far as its rows say. A few parts more are what no equation of a step has, since only a library's own rows can
// tell them. No answer uses any of this: validation tells what knowing the library would bring.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit/kernel_fit.hpp"
#include "calibrate/fit/kernels.hpp"

namespace ridge {

/// One thing that a kernel has to do, and the library's number that says what it takes.
struct KernelPart {
  std::string_view number;  // a field of priors.library
  double amount = 0;        // of the thing: seconds by the shared equation, or what a part of libraries alone counts
  std::string variant;      // of the kernel: libraries compile one for each width of a head, say
};

/// One way of running it: what hides behind nothing, and what is computed while other things are read.
template <class Part>
struct KernelWayOf {
  std::vector<Part> beside, computing, reading;
};
using KernelWay = KernelWayOf<KernelPart>;

/// All ways there are, of which the quickest is taken; and the time below which the host is slower.
struct KernelParts {
  std::vector<KernelWay> ways;
  double launch = 0;
};

KernelParts parts_of(const KernelCase& kernel, const ChipRates<double>& rates, const Harness& harness);

/// A library's numbers for the kernels of one class, by name, and by "name variant".
using LibraryNumbers = std::map<std::string, double, std::less<>>;

/// Fitted to the library's rows; priors as `priors.library` has them. Seconds are measured, one for each of `rows`.
Result<LibraryNumbers> fit_library(const std::vector<KernelParts>& rows, const std::vector<double>& seconds,
                                   const Priors& priors);

/// Seconds; a variant that no row of the library had takes its part as the prior has it.
double predict_library_kernel(const KernelParts& kernel, const LibraryNumbers& numbers, const Priors& priors);

}  // namespace ridge
