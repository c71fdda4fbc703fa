// A libFuzzer target: any bytes to the reader of config.json. Built and run by `make fuzz`.
//
// What it finds goes into tests/fuzz/make_config_corpus.py, which writes the corpus.

#include "fuzz/config_fuzz.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = ridge::fuzz::config_complaint({reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

/// Mostly word by word, since of changed bytes few remain JSON.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, largest);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (auto left = 1 + random() % 3; left > 0; --left) {
    text = ridge::fuzz::with_another_word(text, [&](std::size_t below) { return random() % below; });
  }
  if (text.empty() || text.size() > largest) return LLVMFuzzerMutate(data, size, largest);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
