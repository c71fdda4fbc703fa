#pragma once
// The chapters, in the order in which they are told. Each measures, and returns what it found.

#include <cstdint>

#include "chapter.hpp"

namespace reversible {

struct Options {
  bool quick = false, json = false;
  std::vector<std::string> chapters = {};  // their keys; none means all
  std::uint64_t seed = 1;
};

Chapter cipher_chapter(const Options& options);
Chapter gradient_chapter(const Options& options);
Chapter inverse_chapter(const Options& options);
Chapter training_chapter(const Options& options);
Chapter memory_chapter(const Options& options);
Chapter time_chapter(const Options& options);

}  // namespace reversible
