#include "cli/sweep/in_order.hpp"

#include <algorithm>

#include <unistd.h>

#include "base/threads.hpp"
#include "cli/program.hpp"
#include "cli/sweep/progress.hpp"
#include "search/sweep/ordered_work.hpp"

namespace ridge::cli {

int print_in_order(std::size_t count, const std::function<std::string(std::size_t)>& make, bool quiet) {
  constexpr std::size_t kAhead = 64;  // texts that wait for an earlier one
  constexpr std::chrono::milliseconds kPatience(200);
  OrderedWork work(count, kAhead);
  const std::size_t many = std::min<std::size_t>(count, all_threads());
  const auto compute = [&](std::size_t) {
    while (const auto task = work.next()) work.deliver(*task, make(static_cast<std::size_t>(*task)));
  };
  const auto threads = start_threads(many, compute);
  Progress progress(count, 0, quiet || is_terminal(STDOUT_FILENO));
  std::size_t done = 0;
  while (!work.all_taken()) {
    if (bool later = false; threads.empty()) {
      if (const auto own = work.try_next(later)) work.deliver(*own, make(static_cast<std::size_t>(*own)));
    }
    if (const auto text = work.take(kPatience)) {
      if (const int code = print(*text); code != kAnswered) {
        work.stop();
        return code;
      }
      ++done;
    }
    progress.show(done);
  }
  progress.finish(done);
  return kAnswered;
}

}  // namespace ridge::cli
