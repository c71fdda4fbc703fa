#include "price/sheet/model_class.hpp"

#include <algorithm>
#include <array>

#include "base/text/text.hpp"

namespace ridge {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words that say when, not what: the same model before and after.
bool says_nothing(std::string_view word) {
  constexpr std::array<std::string_view, 14> kSilent = {
      "",     "v",        "preview", "latest",    "beta", "exp",    "experimental",
      "chat", "instruct", "it",      "reasoning", "non",  "stable", "to"};
  return std::find(kSilent.begin(), kSilent.end(), word) != kSilent.end();
}

/// What a word says of the class: "70b" and "16k" themselves, "r" of r1, nothing of 3.5, 4o, v3 or 20240307.
std::string said_by(const std::string& word) {
  if (word.empty()) return "";
  if (is_digit(word[0])) {
    const bool sized = word.size() > 1 && (word.back() == 'b' || word.back() == 'k');
    return sized ? word : "";
  }
  const auto end = std::find_if(word.begin(), word.end(), is_digit);
  const std::string letters(word.begin(), end);
  return says_nothing(letters) ? "" : letters;
}

}  // namespace

std::vector<std::string> words_of(std::string_view model) {
  std::string plain = lower_case(model.substr(model.rfind('/') + 1));
  std::replace(plain.begin(), plain.end(), '_', '-');
  return split(plain, '-');
}

std::string class_of(std::string_view model, const std::vector<std::string>& family) {
  std::vector<std::string> parts;
  auto next = family.begin();
  for (const std::string& word : words_of(model)) {
    if (next != family.end() && word == *next) {
      ++next;
      continue;
    }
    if (std::string said = said_by(word); !said.empty()) parts.push_back(std::move(said));
  }
  return joined(parts, "-");
}

}  // namespace ridge
