// Is a lazy value made once, when it is asked for, and the same for every thread?

#include "base/lazy.hpp"

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace lazy_test {

using namespace ridge;

TEST_CASE("nothing is made before it is asked for, and then once for all copies") {
  int made = 0;
  const Lazy<std::string> value([&] {
    ++made;
    return std::string("here");
  });
  const Lazy<std::string> copy = value;
  CHECK(made == 0);
  CHECK(*value == "here");
  CHECK(copy->size() == 4);
  CHECK(made == 1);
  CHECK(&*copy == &*value);
}

TEST_CASE("threads that ask at once get one value at one address") {
  const Lazy<std::vector<int>> value([] { return std::vector<int>(1000, 7); });
  std::vector<const std::vector<int>*> seen(8);
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&, i] {
      while (!go) continue;
      seen[i] = &*value;
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(std::set<const std::vector<int>*>(seen.begin(), seen.end()).size() == 1);
  CHECK(seen.front()->size() == 1000);
}

}  // namespace lazy_test
