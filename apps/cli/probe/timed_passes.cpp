#include "cli/probe/timed_passes.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>

#include "base/threads.hpp"

namespace ridge::cli {

namespace {

using PassClock = std::chrono::steady_clock;

struct PassTimes {
  PassClock::time_point start, end;
  double done = 0;
};

constexpr std::size_t kLeastPasses = 3;

}  // namespace

ProbeSeries timed_passes(int threads, double seconds, const ProbePass& pass) {
  const auto count = static_cast<std::size_t>(std::max(1, threads));
  std::vector<PassTimes> times(count);
  std::atomic<bool> stop = false;
  ProbeSeries out{threads, {}};
  std::size_t passes = 0;
  const auto until = PassClock::now() + std::chrono::duration<double>(seconds);
  const auto finish = [&]() noexcept {
    PassTimes all = times.front();
    for (const PassTimes& one : times) {
      all.start = std::min(all.start, one.start);
      all.end = std::max(all.end, one.end);
      if (&one != &times.front()) all.done += one.done;
    }
    const double took = std::chrono::duration<double>(all.end - all.start).count();
    if (passes++ > 0 && out.rates.size() < out.rates.capacity()) out.rates.push_back(all.done / took);
    stop = passes > kLeastPasses && all.end >= until;
  };
  out.rates.reserve(100000);  // a barrier's end may not throw
  std::barrier begin(static_cast<std::ptrdiff_t>(count));
  std::barrier end(static_cast<std::ptrdiff_t>(count), finish);
  // threads that do not start would be waited for in vain
  std::atomic<int> ready = 0;
  std::atomic<bool> called_off = false;
  const auto work = [&](std::size_t thread) {
    ++ready;
    while (ready < static_cast<int>(count) && !called_off) std::this_thread::yield();
    while (!stop && !called_off) {
      begin.arrive_and_wait();
      times[thread].start = PassClock::now();
      times[thread].done = pass(static_cast<int>(thread));
      times[thread].end = PassClock::now();
      end.arrive_and_wait();
    }
  };
  {
    const auto of_another = [&](std::size_t i) { work(i + 1); };
    const auto others = start_threads(count - 1, of_another);
    if (others.size() + 1 < count) {
      called_off = true;
    } else {
      work(0);
    }
  }
  return out;
}

}  // namespace ridge::cli
