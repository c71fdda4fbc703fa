#pragma once
// What the operating system says about memory, to hold against our own count. Linux only; NaN elsewhere.

#include <string>

#include "trained_network.hpp"

namespace reversible {

/// The network of the memory chapter.
Shape memory_shape(std::size_t depth, bool quick);

/// One step in this process, then the most memory (bytes) the process ever had resident.
double peak_after_one_step(Method method, std::size_t depth, bool quick);

/// The same in a new process, which has nothing in memory that came before.
double peak_of_new_process(Method method, std::size_t depth, bool quick);

/// The arguments with which main() answers peak_of_new_process: this word, the method's number, the depth, quick or not.
inline constexpr const char* kPeakArgument = "--peak-of-one-step";

}  // namespace reversible
