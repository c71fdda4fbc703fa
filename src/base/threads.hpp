#pragma once
// Threads, as many as there may be.

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace ridge {

/// Starts `work(0)`, `work(1)`, ... on so many threads. Where the system gives no more of them (a limit of processes or of
/// memory), those that started are all: the caller works too, or asks how many there are.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t wanted, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(wanted);
  try {
    for (std::size_t i = 0; i < wanted; ++i) threads.emplace_back([&work, i] { work(i); });
  } catch (const std::system_error&) {
  }
  return threads;
}

}  // namespace ridge
