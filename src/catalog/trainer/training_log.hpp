#pragma once
// What a training run printed of itself: lines of Megatron-LM's, torchtitan's and DeepSpeed's logs, or a line of CSV.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ridge::catalog {

struct TrainingLog {
  std::string form;                  // "Megatron-LM's log", "CSV", ...
  std::size_t lines = 0;             // that were used: the first are left out where there are many, since they warm up
  std::optional<double> step;        // s, the median
  std::optional<double> rate;        // tokens/s of one chip
  std::optional<double> samples;     // sequences/s of all
  std::optional<double> tflops;      // of a chip, as the framework counts them
  std::optional<double> peak_bytes;  // of the fullest chip, where it says so
  std::map<std::string, std::string> said;  // further columns of CSV: chips, tp, ...
};

Result<TrainingLog> read_training_log(std::string_view text, std::string_view where);

}  // namespace ridge::catalog
