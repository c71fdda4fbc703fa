// A libFuzzer target: any bytes to one of the readers of text, the one that the program is called after (measure_fuzz, a
// link to it: CMakeLists.txt). Built and run by `make fuzz`.
//
// What it finds goes into the corpus of replay_test.cpp.

#include "fuzz/text_fuzz.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace {

using Reader = std::string (*)(std::string_view);

Reader reader = nullptr;

Reader reader_of(std::string_view program) {
  using namespace ridge::fuzz;
  constexpr std::pair<std::string_view, Reader> kReaders[] = {
      {"measure", wrong_measure}, {"formula", wrong_formula},   {"scenario", wrong_scenario}, {"toml", wrong_toml},
      {"entry", wrong_entry},     {"command", wrong_command},   {"training", wrong_training}, {"sheet", wrong_sheet},
      {"sweep", wrong_sweep},     {"evidence", wrong_evidence}, {"results", wrong_results},   {"traces", wrong_trace},
  };
  for (const auto& [name, read] : kReaders) {
    if (program == std::string(name) + "_fuzz") return read;
  }
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
  const std::string_view path = (*arguments)[0];
  reader = reader_of(path.substr(path.rfind('/') + 1));
  if (reader != nullptr) return 0;
  std::fprintf(stderr, "%s: called after no reader of text (tests/fuzz/CMakeLists.txt lists them)\n", (*arguments)[0]);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = reader({reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
