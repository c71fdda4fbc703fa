#pragma once
// How far a long run is, on standard error: a bar in a terminal, a line now and then elsewhere.

#include <chrono>
#include <cstdint>
#include <string>

namespace ridge::cli {

class Progress {
 public:
  Progress(std::uint64_t cases, std::uint64_t done, bool quiet);
  /// `done` counts what was done before this run, too.
  void show(std::uint64_t done);
  /// The last line.
  void finish(std::uint64_t done);

 private:
  std::string line(std::uint64_t done) const;
  double seconds() const;

  using Clock = std::chrono::steady_clock;
  std::uint64_t cases_, before_;
  bool quiet_, terminal_;
  Clock::time_point began_ = Clock::now(), shown_ = Clock::now();
};

/// 1234567 -> "1.23 M": counts that change while one looks.
std::string short_count(double count);
/// "42 s", "3 min", "2.5 h".
std::string short_time(double seconds);

}  // namespace ridge::cli
