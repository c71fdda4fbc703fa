#pragma once
// What ridge probe measured, for a terminal and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "calibrate/probe/probe.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct ProbeEntryText {
  std::string path, toml;  // "chip/this-machine-cpu.toml"
};

struct ProbeReport {
  ProbedCpu cpu;
  std::optional<ProbedGpu> gpu;
  std::string no_gpu;  // why there is none
  std::vector<ProbeEntryText> entries;
};

std::string probe_text(const ProbeReport& report, const Style& style);
/// ridge.probe/1
std::string probe_json(const ProbeReport& report);

/// One kind of work and its rates, in the order in which they are shown.
struct ProbedWork {
  std::string_view name, key;  // "memory read", "read"
  const std::vector<ProbedRate>* rates;
  bool bytes = false;  // or FLOP
};
std::vector<ProbedWork> works_of(const ProbedCpu& cpu);
std::vector<ProbedWork> works_of(const ProbedGpu& gpu);

}  // namespace ridge::report
