#pragma once
// How far simulations are, on standard error: nothing in the first two seconds.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ridge::cli {

class RunProgress {
 public:
  /// So many runs of so many requests each; 0: not known beforehand.
  RunProgress(std::size_t runs, std::int64_t requests, bool quiet);

  /// A run has finished so many requests: false where somebody asked to stop. Any thread may call.
  bool go_on(std::size_t run, std::int64_t finished);
  /// Of runs that are not counted beforehand.
  bool go_on(std::int64_t finished);
  /// The line goes.
  void end();

 private:
  void show();

  using Clock = std::chrono::steady_clock;
  std::vector<std::atomic<std::int64_t>> finished_;
  std::int64_t requests_;
  bool quiet_, terminal_;
  Clock::time_point began_ = Clock::now();
  std::atomic<std::int64_t> next_ms_ = 2000, looks_ = 0;
  std::atomic<bool> is_shown_ = false;
};

}  // namespace ridge::cli
