#pragma once
// What the system says of its CPU and memory (Linux: /proc, /sys).

#include <string>

namespace ridge::cli {

struct CpuFacts {
  std::string title = "CPU", vendor = "unknown";
  bool bf16 = false;       // instructions for products of 16-bit numbers
  double memory = 0;       // bytes: all of the machine's, or what this process may have of it
  double free_memory = 0;  // bytes
  double caches = 0;       // bytes of all last-level caches; 0: not said
};

CpuFacts cpu_facts();

}  // namespace ridge::cli
