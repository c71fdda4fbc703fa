// A libFuzzer target: any bytes to every reader of text. Not part of the build, which is GCC's; with clang:
//
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -ffp-contract=off -I src -I tests tests/fuzz/text_fuzz.cpp \
//     src/base/*.cpp src/model/*.cpp src/serve/*.cpp src/report/{expression,style}.cpp \
//     src/catalog/{entry,fact,grouped,library,read_toml,scenario_file,scenario_text}.cpp -lfmt -o /tmp/text_fuzz
//   /tmp/text_fuzz -max_total_time=600 -max_len=4096 /tmp/corpus examples catalog/chip catalog/model
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
