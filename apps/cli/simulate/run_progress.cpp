#include "cli/simulate/run_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output/early_end.hpp"
#include "cli/program.hpp"
#include "cli/sweep/progress.hpp"

namespace ridge::cli {

RunProgress::RunProgress(std::size_t runs, std::int64_t requests, bool quiet)
    : finished_(runs), requests_(requests), quiet_(quiet), terminal_(is_terminal(STDERR_FILENO)) {}

bool RunProgress::go_on(std::size_t run, std::int64_t finished) {
  finished_[run].store(finished, std::memory_order_relaxed);
  show();
  return asked_to_stop() == 0;
}

bool RunProgress::go_on(std::int64_t) {
  show();
  return asked_to_stop() == 0;
}

void RunProgress::show() {
  if (quiet_) return;
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_).count();
  std::int64_t due = next_ms_.load(std::memory_order_relaxed);
  // one thread at a time
  if (passed < due || !next_ms_.compare_exchange_strong(due, passed + (terminal_ ? 200 : 5000))) return;
  std::string text = fmt::format("simulating, {}", short_time(static_cast<double>(passed) / 1e3));
  if (!finished_.empty()) {
    std::int64_t done = 0;
    for (const auto& one : finished_) done += one.load(std::memory_order_relaxed);
    const auto all = static_cast<double>(requests_) * static_cast<double>(finished_.size());
    const double share = all > 0 ? static_cast<double>(done) / all : 0;
    text = fmt::format("{} of {} requests, {:.0f} %", short_count(static_cast<double>(done)), short_count(all),
                       100 * share);
    if (share > 0.01)
      text += fmt::format(", {} left", short_time(static_cast<double>(passed) / 1e3 * (1 - share) / share));
  }
  is_shown_ = true;
  const std::string line = terminal_ ? "\r" + text + "\x1b[K" : text + "\n";
  put_beside(line);
}

void RunProgress::end() {
  if (!is_shown_ || !terminal_) return;
  put_beside("\r\x1b[K");
}

}  // namespace ridge::cli
