// A libFuzzer target: any bytes to the readers of checkpoints. Built and run by `make fuzz`.
//
// What it finds goes into tests/fuzz/make_safetensors_corpus.py, which writes the corpus.

#include "fuzz/safetensors_fuzz.hpp"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = ridge::fuzz::wrong_checkpoint({reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
