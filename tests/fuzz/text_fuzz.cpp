// A libFuzzer target: any bytes to one of the readers of text, RIDGE_READER (CMakeLists.txt). Built and run by `make fuzz`.
//
// What it finds goes into the corpus of replay_test.cpp.

#include "fuzz/text_fuzz.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = ridge::fuzz::RIDGE_READER({reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
