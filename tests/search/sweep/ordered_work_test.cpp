// Do results come in the order of their tasks, whoever is first, with no more of them waiting than the window holds?

#include "search/sweep/ordered_work.hpp"

#include <atomic>
#include <thread>

#include <doctest/doctest.h>

using namespace ridge;
using namespace std::chrono_literals;

TEST_CASE("results are taken in order, and nobody runs ahead of the window") {
  constexpr std::uint64_t kTasks = 500;
  OrderedWork work(kTasks, 4);
  std::atomic<std::uint64_t> taken = 0;
  std::atomic<bool> ahead = false;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] {
      while (const auto task = work.next()) {
        if (*task > taken.load() + 4) ahead = true;
        work.deliver(*task, std::to_string(*task));
      }
    });
  }
  for (std::uint64_t task = 0; task < kTasks; ++task) {
    const auto result = work.take(10s);
    REQUIRE(result);
    CHECK(*result == std::to_string(task));
    taken = task + 1;
  }
  CHECK(work.all_taken());
  CHECK(!ahead);
}

TEST_CASE("asking without waiting tells later from never") {
  OrderedWork work(3, 2);
  bool later = false;
  CHECK(work.try_next(later) == 0U);
  CHECK(work.try_next(later) == 1U);
  CHECK(!work.try_next(later));
  CHECK(later);  // the window is full
  CHECK(!work.take(0us));
  work.deliver(1, "b");
  CHECK(!work.take(0us));  // the first is not there yet
  work.deliver(0, "a");
  CHECK(work.take(0us) == "a");
  CHECK(work.take(0us) == "b");
  CHECK(work.try_next(later) == 2U);
  CHECK(!work.try_next(later));
  CHECK(!later);
}

TEST_CASE("a stop wakes those who wait, and what was delivered can still be taken") {
  OrderedWork work(10, 1);
  CHECK(work.next() == 0U);
  std::jthread waiting([&] { CHECK(!work.next()); });
  work.stop();
  waiting.join();
  work.deliver(0, "kept");
  CHECK(work.take(0us) == "kept");
  CHECK(!work.all_taken());
}
