#pragma once
// Tasks handed out in order to whoever asks, and their results taken in order: threads and other processes share one
// counter, so a slow one holds nobody up, and the answer is the same however many there are.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ridge {

class OrderedWork {
 public:
  /// Tasks 0 to tasks - 1; nobody gets further than `window` tasks ahead of the last one taken, which bounds memory.
  OrderedWork(std::uint64_t tasks, std::size_t window) : tasks_(tasks), results_(window) {}

  /// The next task; waits while too many results are not taken yet. None: there are no more, or it was stopped.
  std::optional<std::uint64_t> next();
  /// The same without waiting: `later` says that there will be one.
  std::optional<std::uint64_t> try_next(bool& later);
  void deliver(std::uint64_t task, std::string result);

  /// The result of the task after the last one taken, if it comes within `patience`.
  std::optional<std::string> take(std::chrono::microseconds patience);
  /// Whether every result was taken.
  bool all_taken() const;
  /// No task is handed out any more.
  void stop();

 private:
  bool is_over() const { return stopped_ || handed_out_ == tasks_; }
  bool is_window_full() const { return handed_out_ - taken_ >= results_.size(); }

  mutable std::mutex mutex_;
  std::condition_variable room_, arrival_;
  std::uint64_t tasks_, handed_out_ = 0, taken_ = 0;
  bool stopped_ = false;
  std::vector<std::optional<std::string>> results_;  // task t at t modulo the window
};

}  // namespace ridge
