#include "cli/sweep/in_order.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include <unistd.h>

#include "cli/program.hpp"
#include "cli/sweep/progress.hpp"
#include "search/sweep/ordered_work.hpp"

namespace ridge::cli {

int print_in_order(std::size_t count, const std::function<std::string(std::size_t)>& make, bool quiet) {
  constexpr std::size_t kAhead = 64;  // texts that wait for an earlier one
  constexpr std::chrono::milliseconds kPatience(200);
  OrderedWork work(count, kAhead);
  std::vector<std::jthread> threads;
  const std::size_t many = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  for (std::size_t i = 0; i < many; ++i) {
    threads.emplace_back([&] {
      while (const auto task = work.next()) work.deliver(*task, make(static_cast<std::size_t>(*task)));
    });
  }
  Progress progress(count, 0, quiet || isatty(STDOUT_FILENO) == 1);
  std::size_t done = 0;
  while (!work.all_taken()) {
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
