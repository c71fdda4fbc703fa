#include "library/config_words.hpp"

#include <algorithm>
#include <cctype>

namespace ridge {

namespace {

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
char small_letter(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// "Phi3" and "phi3", "DeepseekV4" and "deepseek_v4": letters, digits and stars alone, in lower case.
std::string squeezed_word(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (is_word_letter(c) || c == '*') out += small_letter(c);
  }
  return out;
}

/// Single letters are what they are: "*" of a pattern of layers is not any word.
bool names_match(std::string_view word, std::string_view name) {
  if (word == name) return true;
  return word.size() > 1 && name.size() > 1 && matches_glob(squeezed_word(word), squeezed_word(name));
}

}  // namespace

std::string ConfigWords::meaning(std::string_view of, std::string_view word) const {
  for (const ConfigName& one : names) {
    if (one.of != of) continue;
    if (std::any_of(one.names.begin(), one.names.end(), [&](const auto& name) { return names_match(word, name); }))
      return one.means;
  }
  return std::string(word);
}

bool ConfigWords::sounds_like(std::string_view group, std::string_view key) const {
  const std::vector<std::string> parts = words_in_key(key);
  for (const ConfigKeys& one : keys) {
    if (one.name != group) continue;
    for (const std::string& part : parts) {
      if (std::find(one.words.begin(), one.words.end(), part) != one.words.end()) return true;
    }
  }
  return false;
}

std::vector<std::string> words_in_key(std::string_view key) {
  std::vector<std::string> words;
  bool inside = false, was_small = false;
  for (const char c : key) {
    const bool large = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (!is_word_letter(c)) {
      inside = false;
    } else {
      if (!inside || (large && was_small)) words.emplace_back();
      words.back() += small_letter(c);
      inside = true;
    }
    was_small = is_word_letter(c) && !large;
  }
  return words;
}

bool matches_glob(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace ridge
