#pragma once
// A chip: one package, what a user schedules work on (not a die, superchip or board).

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number/units.hpp"
#include "base/provenance.hpp"

namespace ridge {

/// Rates by number format, in the order of the catalog file: {"bf16", 989 TFLOP/s}.
using Rates = std::vector<std::pair<std::string, Sourced<FlopsPerSecond<double>>>>;

inline const Sourced<FlopsPerSecond<double>>* find_rate(const Rates& rates, const std::string& format) {
  for (const auto& [name, rate] : rates) {
    if (name == format) return &rate;
  }
  return nullptr;
}

struct Chip {
  std::string name, title, vendor, note;
  int year = 0;
  Rates matmul;           // dense peaks; a multiply-add is 2 FLOP
  Rates measured_matmul;  // best seen; 16-bit by one search (MAMF) wherever it ran
  Sourced<std::string> memory_type;
  Sourced<Bytes<double>> capacity;                         // nameplate
  std::optional<Sourced<Bytes<double>>> capacity_visible;  // what the driver shows; may be more or less
  Sourced<BytesPerSecond<double>> bandwidth;
  std::optional<Sourced<BytesPerSecond<double>>> bandwidth_measured;
  std::optional<Sourced<Watts<double>>> power;
  std::optional<Sourced<FlopsPerSecond<double>>> vector;  // fp32 beside the matrix units: what dot products run on
  bool is_cpu = false;                                    // main memory stands where others have HBM
  double threads = 0;                                     // of a CPU, those whose units the peaks count; 0: not said

  /// What software can really allocate from: the driver's figure where known, else the nameplate.
  const Sourced<Bytes<double>>& usable_capacity() const { return capacity_visible ? *capacity_visible : capacity; }
};

}  // namespace ridge
