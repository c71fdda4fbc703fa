#pragma once
// Entries of a chip and a machine from what ridge probe measured, and the report of probes/cuda/chip.py read.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "calibrate/probe/probe.hpp"
#include "calibrate/probe/probe_price.hpp"

namespace ridge::catalog {

/// A file below a folder for --catalog.
struct ProbedFile {
  std::string category, name, toml;  // "chip", "this-machine-cpu", ...

  std::string path() const { return category + "/" + name + ".toml"; }
};

/// What entries are called, when they were measured, and what nobody measures.
struct ProbedNames {
  std::string machine, chip;
  std::string date;  // "2026-11-16"
  std::optional<ProbedPrice> price = {};
};

/// A chip and a machine that has one of it. Without a bandwidth or a matrix peak there is no entry.
Result<std::vector<ProbedFile>> probed_files(const ProbedCpu& cpu, const ProbedNames& names);
Result<std::vector<ProbedFile>> probed_files(const ProbedGpu& gpu, const ProbedNames& names);

/// What the script printed: a GPU, or in words why there is none.
struct GpuReport {
  ProbedGpu gpu;
  std::string none;
};
Result<GpuReport> read_gpu_report(std::string_view json);

}  // namespace ridge::catalog
