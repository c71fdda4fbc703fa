// Is all work done once, on any number of threads?

#include "base/threads.hpp"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

namespace threads_test {

TEST_CASE("every index is worked on once, on none, one or many threads") {
  for (const std::size_t threads : {0U, 1U, 2U, 8U}) {
    for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
      std::vector<std::atomic<int>> done(count);
      ridge::for_each_index(count, threads, [&](std::size_t i) { ++done[i]; });
      for (const auto& one : done) CHECK(one == 1);
    }
  }
}

}  // namespace threads_test
