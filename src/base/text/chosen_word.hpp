#pragma once
// One of a few words that an option or a key may be.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.hpp"
#include "base/text/text.hpp"

namespace ridge {

/// What the word stands for; where it is none of them, what they are.
template <class T, std::size_t N>
Result<T> chosen_word(const char* key, const std::string& word, const std::pair<const char*, T> (&choices)[N]) {
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
    known.emplace_back(name);
  }
  return fail({key, fmt::format("\"{}\" is none of them", shortened(word)), "one of: " + joined(known, ", ")});
}

}  // namespace ridge
