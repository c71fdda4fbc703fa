#pragma once
// Threads, as many as there may be.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#ifndef __wasm__
#include <future>
#include <new>
#include <system_error>
#include <thread>
#endif

namespace ridge {

#ifdef __wasm__
struct Thread {  // there are none: whoever asks works alone
  void join() {}
};
#else
using Thread = std::jthread;
#endif

/// Starts `work(0)`, `work(1)`, ... on so many threads. Where the system gives no more of them (a limit of processes or of
/// memory), those that started are all: the caller works too, or asks how many there are. Their stacks leave kRoomForWork
/// of memory to what they do.
template <class Work>
std::vector<Thread> start_threads([[maybe_unused]] std::size_t wanted, [[maybe_unused]] const Work& work) {
  std::vector<Thread> threads;
#ifndef __wasm__
  constexpr std::size_t kRoomForWork = std::size_t{32} << 20;  // bytes
  if (wanted == 0) return threads;
  std::vector<char> room;
  try {
    room.reserve(kRoomForWork);
    threads.reserve(wanted);
  } catch (const std::bad_alloc&) {
    return threads;
  }
  std::promise<void> all_started;
  const std::shared_future<void> begin = all_started.get_future();
  try {
    for (std::size_t i = 0; i < wanted; ++i) {
      threads.emplace_back([&work, i, begin] {
        begin.wait();
        work(i);
      });
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  std::vector<char>().swap(room);
  all_started.set_value();
#endif
  return threads;
}

/// Calls `work(i)` once for each i below `count`, on so many threads with the caller among them, and ends when all ended.
template <class Work>
void for_each_index(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&](std::size_t) {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  auto others = start_threads(std::max<std::size_t>(1, std::min(threads, count)) - 1, take);
  take(0);
  others.clear();  // until they are done
}

}  // namespace ridge
