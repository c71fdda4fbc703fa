// A libFuzzer target: any bytes to the reader of GGUF headers. Built and run by `make fuzz`.
//
// What it finds goes into tests/fuzz/make_gguf_corpus.py, which writes the corpus.

#include "fuzz/gguf_fuzz.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = ridge::fuzz::gguf_complaint({reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
