#include "base/text/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace ridge {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

void add_once(std::vector<std::string>& texts, const std::string& text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return std::string(text);
  return fmt::format("{}... ({} characters)", text.substr(0, kMost), text.size());
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::uint64_t eight = 0;  // most text is plain ASCII
    if (i + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + i, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        i += sizeof eight;
        continue;
      }
    }
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t more = lead < 0x80                   ? 0
                             : lead >= 0xc2 && lead < 0xe0 ? 1
                             : lead >= 0xe0 && lead < 0xf0 ? 2
                             : lead >= 0xf0 && lead < 0xf5 ? 3
                                                           : 4;
    if (more == 4 || i + more >= text.size() + (more == 0 ? 1 : 0)) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      const unsigned char low = k == 1 && lead == 0xe0 ? 0xa0 : k == 1 && lead == 0xf0 ? 0x90 : 0x80;
      const unsigned char high = k == 1 && lead == 0xed ? 0x9f : k == 1 && lead == 0xf4 ? 0x8f : 0xbf;
      if (next < low || next > high) return false;
    }
    i += more + 1;
  }
  return true;
}

std::optional<double> parse_number(std::string_view text) {
  constexpr std::string_view kAllowed = "0123456789+-.eE";
  if (text.empty() || text.size() > 400 || text.find_first_not_of(kAllowed) != std::string_view::npos) return {};
#ifdef __cpp_lib_to_chars  // not in the library for WebAssembly; three times faster
  double quick = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), quick);
  if (error == std::errc() && stop == text.data() + text.size()) return quick;
#endif
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(value)) return {};
  return value;
}

namespace {

std::string group_thousands(std::string digits) {
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > sign + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace

std::string with_commas(double value) {
  if (!std::isfinite(value)) return "unbounded";
  if (std::fabs(value) >= 1e15) return fmt::format("{:.4g}", value);
  return group_thousands(fmt::format("{:.0f}", value));
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return "unbounded";
  const double size = std::fabs(value);
  if (size < 1e-300) return "0";  // an interval's zero is rounded outward to the smallest number there is
  if (size < 1e-4 || size >= 1e15) return fmt::format("{:.{}e}", value, digits - 1);
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - before_point));
  if (text.find('.') != std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return group_thousands(std::move(text));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known, std::size_t count) {
  const std::string wanted = lower_case(word.substr(0, 80));
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : known) {
    const std::string candidate = lower_case(name);
    std::size_t distance = edit_distance(wanted, candidate);
    // a part of a name ("h100" for "hgx-h100") is a good guess even though many letters differ
    const bool contained =
        wanted.size() >= 2 && (candidate.find(wanted) != std::string::npos ||
                               (candidate.size() >= 3 && wanted.find(candidate) != std::string::npos));
    if (contained) distance = wanted.size() >= 3 ? 0 : std::min<std::size_t>(distance, 2);
    if (distance <= std::max<std::size_t>(2, wanted.size() / 3)) ranked.emplace_back(distance, name);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [distance, name] : ranked) {
    if (names.size() < count) names.push_back(name);
  }
  return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> close = nearest(word, known, 3);
  if (close.empty()) {
    std::vector<std::string> some(known.begin(),
                                  known.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(known.size(), 8)));
    return "one of: " + joined(some, ", ") + (known.size() > some.size() ? ", ..." : "");
  }
  if (close.size() == 1) return "did you mean " + close[0] + "?";
  const std::string last = close.back();
  close.pop_back();
  return "did you mean " + joined(close, ", ") + " or " + last + "?";
}

}  // namespace ridge
