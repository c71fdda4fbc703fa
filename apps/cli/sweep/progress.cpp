#include "cli/sweep/progress.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/program.hpp"

namespace ridge::cli {

namespace {

constexpr std::chrono::milliseconds kTerminalPause{200}, kPlainPause{5000};
constexpr int kBar = 24;

}  // namespace

std::string short_count(double count) {
  if (count < 1e4) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.3g} k", count / 1e3);
  if (count < 1e9) return fmt::format("{:.3g} M", count / 1e6);
  return fmt::format("{:.3g} G", count / 1e9);
}

std::string short_time(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

Progress::Progress(std::uint64_t cases, std::uint64_t done, bool quiet)
    : cases_(cases), before_(done), quiet_(quiet), terminal_(is_terminal(STDERR_FILENO)) {}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

std::string Progress::line(std::uint64_t done) const {
  const double share = cases_ == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(cases_);
  const double rate = static_cast<double>(done - before_) / std::max(seconds(), 1e-9);
  std::string text = fmt::format("{} of {} cases, {:.0f} %, {}/s", short_count(static_cast<double>(done)),
                                 short_count(static_cast<double>(cases_)), 100 * share, short_count(rate));
  if (done < cases_ && rate > 0)
    text += fmt::format(", {} left", short_time(static_cast<double>(cases_ - done) / rate));
  return text;
}

void Progress::show(std::uint64_t done) {
  if (quiet_) return;
  const auto now = Clock::now();
  if (now - shown_ < (terminal_ ? kTerminalPause : kPlainPause)) return;
  shown_ = now;
  if (!terminal_) {
    put_beside(line(done) + "\n");
    return;
  }
  const auto filled = static_cast<std::size_t>(cases_ == 0 ? kBar : kBar * done / cases_);
  put_beside(fmt::format("\r[{}{}] {}\x1b[K", std::string(filled, '#'), std::string(kBar - filled, '.'), line(done)));
}

void Progress::finish(std::uint64_t done) {
  if (quiet_) return;
  if (terminal_) put_beside("\r\x1b[K");
  const double took = seconds();
  // a short run needs no words
  if (terminal_ || took > 1) put_beside(fmt::format("{}, {:.1f} s\n", line(done), took));
}

}  // namespace ridge::cli
