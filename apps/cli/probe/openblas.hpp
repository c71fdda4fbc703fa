#pragma once
// Matrix products by OpenBLAS, which is loaded when asked for: plain ridge neither links nor needs it.

#include <string>
#include <vector>

#include "calibrate/probe/probe.hpp"

namespace ridge::cli {

struct OpenBlasRates {
  std::string version;                  // empty: not there
  std::vector<ProbeSeries> fp32, bf16;  // FLOP a second, by threads
  std::vector<std::string> missing;     // what was not measured, and why
};

/// In a process of its own: a library that was built for another processor may end it.
OpenBlasRates openblas_rates(const std::vector<int>& threads, double seconds, bool cpu_has_bf16);

}  // namespace ridge::cli
