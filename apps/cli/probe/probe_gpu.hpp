#pragma once
// The GPU this machine has, measured by probes/cuda/chip.py.

#include "base/result.hpp"
#include "catalog/entries/probed_entry.hpp"

namespace ridge::cli {

/// Runs the script, which is compiled in, with python3. Nothing to run it with is no error: the report says why there is none.
Result<catalog::GpuReport> probe_gpu(double seconds);

}  // namespace ridge::cli
