#include "base/text/clean_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

/// One character, or one byte that is part of none.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Character character_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length || !is_utf8(text.substr(0, length))) return {first, 1, false};
  std::uint32_t code = first & (0x7Fu >> length);
  for (const char c : text.substr(1, length - 1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return {code, length, true};
}

struct CodeRange {
  std::uint32_t first, last;
};
/// Controls of both kinds, line separators, and what turns or hides the direction of writing.
constexpr std::array kUnsafe = {CodeRange{0x00, 0x1F},     CodeRange{0x7F, 0x9F},     CodeRange{0x061C, 0x061C},
                                CodeRange{0x200B, 0x200F}, CodeRange{0x2028, 0x202E}, CodeRange{0x2060, 0x206F},
                                CodeRange{0xFEFF, 0xFEFF}, CodeRange{0xFFF9, 0xFFFB}};

bool is_unsafe(std::uint32_t code) {
  return std::any_of(kUnsafe.begin(), kUnsafe.end(),
                     [&](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

/// Bytes at the start of a text that are letters, digits and signs of ASCII, nearly all of any answer: none is unsafe.
std::size_t plain_length(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7E; });
  return static_cast<std::size_t>(end - text.begin());
}

/// Bytes of one of our own codes (report/base/style.cpp) at the start of a text.
std::size_t color_length(std::string_view text) {
  for (const std::string_view code : {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m"}) {
    if (text.starts_with(code)) return code.size();
  }
  return 0;
}

/// What stands before a figure: a blank, a sign of money, the mark before a value.
bool may_stand_before(char c) { return std::string_view(" \t\n(=[\"',$<>:+~").find(c) != std::string_view::npos; }
bool part_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the word at this place is a number's: "inf", "nanx", "-inf%", not "info".
bool stands_for_number(std::string_view text, std::size_t at, std::size_t length) {
  const std::size_t start = at > 0 && text[at - 1] == '-' ? at - 1 : at;
  if (start > 0 && !may_stand_before(text[start - 1])) return false;  // "my-inf" is a name
  const std::size_t after = at + length;
  if (after == text.size()) return true;
  if (text[after] == '"' && start > 1 && text[start - 1] == '"' && text[start - 2] == ' ')
    return false;  // a quoted word
  const char next = text[after], then = after + 1 < text.size() ? text[after + 1] : ' ';
  if (next == 'x') return !part_of_word(then);  // "infx": so many times
  return !part_of_word(next) && !is_digit(next) && next != '-' && next != '.';
}

}  // namespace

std::string cleaned(std::string_view text, Allowed allowed) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (const std::size_t plain = plain_length(text); plain > 0) {
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    const Character one = character_at(text);
    const bool line = one.code == '\n' || one.code == '\t';
    const std::size_t color = allowed == Allowed::colors ? color_length(text) : 0;
    if (color > 0) {
      out += text.substr(0, color);
      text.remove_prefix(color);
      continue;
    }
    if (!one.valid) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", one.code);
    } else if (is_unsafe(one.code) && !(line && allowed != Allowed::none)) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", one.code);
    } else {
      out += text.substr(0, one.bytes);
    }
    text.remove_prefix(one.bytes);
  }
  return out;
}

std::string_view line_without_number(std::string_view text) {
  const auto line_at = [&](std::size_t at) {
    const std::size_t before = text.rfind('\n', at), start = before == std::string_view::npos ? 0 : before + 1;
    return text.substr(start, std::min(text.find('\n', at), text.size()) - start);
  };
  const std::string in_json = cleaned(kNoNumber, Allowed::none);  // JSON shows a control character as we do
  if (const std::size_t at = text.find(in_json); at != std::string_view::npos) return line_at(at);
  if (text.starts_with('{') || text.starts_with('[')) return {};  // in JSON only a string holds a word
  for (const std::string_view word : {"nan", "inf"}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      if (stands_for_number(text, at, word.size())) return line_at(at);
    }
  }
  return {};
}

}  // namespace ridge
