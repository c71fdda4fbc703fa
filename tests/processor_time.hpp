#pragma once
// How long something takes, whoever else uses the machine.

#include <ctime>

namespace ridge {

/// Seconds of processor time that this process spends in `work`.
double processor_seconds(const auto& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace ridge
