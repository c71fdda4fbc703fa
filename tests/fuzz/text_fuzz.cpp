// A libFuzzer target: any bytes to every reader of text. Built and run by `make fuzz`.
//
// What it finds goes into the corpus of replay_test.cpp.

#include "fuzz/text_fuzz.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = ridge::fuzz::complaint({reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
