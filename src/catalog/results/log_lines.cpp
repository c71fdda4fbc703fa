#include "catalog/results/log_lines.hpp"

#include "base/text/text.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

std::string plain_output(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {  // ESC [ numbers letter
      std::size_t end = i + 2;
      while (end < text.size() && (text[end] == ';' || (text[end] >= '0' && text[end] <= '9'))) ++end;
      i = end < text.size() ? end : text.size() - 1;
      continue;
    }
    if (c == '\r') {
      if (i + 1 < text.size() && text[i + 1] != '\n') out += '\n';  // a progress bar
      continue;
    }
    out += c;
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<double> number_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  line = trimmed(line.substr(at + label.size()));
  std::string digits;
  for (const char c : line.substr(0, 40)) {
    const bool exponent = (c == 'e' || c == 'E' || c == '+' || c == '-') && !digits.empty();
    if ((c >= '0' && c <= '9') || c == '.' || exponent) {
      digits += c;
    } else if (c != ',') {
      break;
    }
  }
  while (!digits.empty() && (digits.back() < '0' || digits.back() > '9')) digits.pop_back();
  const auto number = parse_number(digits);
  return number && *number >= 0 && *number < 1e18 ? number : std::nullopt;
}

std::string python_value(std::string_view line, std::string_view name) {
  for (const std::string& mark : {"'" + std::string(name) + "': ", std::string(name) + "="}) {
    std::size_t at = line.find(mark);
    while (at != std::string_view::npos && at > 0 && mark.back() == '=' &&
           (line[at - 1] == '_' || (line[at - 1] >= 'a' && line[at - 1] <= 'z')))
      at = line.find(mark, at + 1);  // the end of a longer name
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.substr(at + mark.size());
    const char quote = rest.empty() ? '\0' : rest.front();
    if (quote == '\'' || quote == '"') {
      rest.remove_prefix(1);
      return safe_line(rest.substr(0, rest.find(quote)));
    }
    return safe_line(rest.substr(0, rest.find_first_of(",})")));
  }
  return "";
}

namespace {

std::optional<std::string_view> after_label(const std::vector<std::string_view>& lines, std::string_view label) {
  for (const std::string_view line : lines) {
    const std::string_view bare = trimmed(line);
    if (!bare.starts_with(label)) continue;
    const std::string_view rest = trimmed(bare.substr(label.size()));
    if (rest.starts_with(':')) return trimmed(rest.substr(1));
  }
  return {};
}

}  // namespace

std::optional<double> labeled(const std::vector<std::string_view>& lines, std::string_view label) {
  const auto found = after_label(lines, label);
  return found ? number_after(*found, "") : std::nullopt;
}

std::string labeled_text(const std::vector<std::string_view>& lines, std::string_view label) {
  return safe_line(after_label(lines, label).value_or(""));
}

}  // namespace ridge::catalog
