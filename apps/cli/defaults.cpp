#include "cli/defaults.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace ridge::cli {

bool was_given(const GivenWords& words, std::string_view key) {
  return std::any_of(words.begin(), words.end(), [&](const auto& one) { return one.first == key; });
}

void note_defaults(std::vector<std::string>& notes, const std::vector<std::string>& taken) {
  if (!taken.empty()) notes.insert(notes.begin(), "not given, so taken: " + joined(taken, " "));
}

}  // namespace ridge::cli
