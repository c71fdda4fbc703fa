#include "report/base/style.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::report {

namespace {
std::string dressed(const Style& style, std::string_view code, std::string_view text) {
  return style.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}
}  // namespace

std::string bold(const Style& style, std::string_view text) { return dressed(style, "1", text); }
std::string dim(const Style& style, std::string_view text) { return dressed(style, "2", text); }
std::string warn(const Style& style, std::string_view text) { return dressed(style, "1;31", text); }

std::string bar(const Style& style, double share, int width) {
  if (!(share > 0.0)) return std::string(static_cast<std::size_t>(width), ' ');
  const double cells = std::min(1.0, share) * width;
  std::string out;
  int used = 0;
  if (style.unicode) {
    static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = std::max(1, static_cast<int>(std::lround(cells * 8)));
    for (; used < eighths / 8; ++used) out += "█";
    if (eighths % 8 != 0) {
      out += kEighths[eighths % 8];
      ++used;
    }
  } else {
    used = std::max(1, static_cast<int>(std::lround(cells)));
    out.assign(static_cast<std::size_t>(used), '#');
  }
  return out + std::string(static_cast<std::size_t>(std::max(0, width - used)), ' ');
}

int shown_width(std::string_view text) {
  int width = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\x1b') escape = true;
    if (!escape && (static_cast<unsigned char>(c) & 0xC0) != 0x80) ++width;
    if (escape && c == 'm') escape = false;
  }
  return width;
}

std::string padded(std::string_view text, int width, bool right) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - shown_width(text))), ' ');
  return right ? space + std::string(text) : std::string(text) + space;
}

std::string clipped(std::string_view text, int width) {
  const auto most = static_cast<std::size_t>(width);
  if (text.size() <= most || most < 6) return std::string(text);
  const std::size_t head = (most - 2) / 2, tail = most - 2 - head;
  return std::string(text.substr(0, head)) + ".." + std::string(text.substr(text.size() - tail));
}

std::string wrapped(std::string_view text, int width, int indent) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  std::string out(text.substr(0, first));
  text.remove_prefix(first);
  int column = static_cast<int>(first);
  bool begun = false;
  for (const std::string& word : split(text, ' ')) {
    const int length = shown_width(word);
    if (begun && column + 1 + length > width) {
      out += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (begun) {
      out += ' ';
      ++column;
    }
    begun = true;
    out += word;
    column += length;
  }
  return out;
}

std::string named_line(std::string_view name, std::string_view text, const Style& style) {
  return wrapped(fmt::format("  {} {}", padded(name, 13), text), style.columns, 16) + "\n";
}

std::string figure_row(std::string_view name, std::string_view value, std::string_view remark) {
  constexpr int kName = 24, kValue = 12, kWidth = 80, kRemark = 2 + kName + 1 + kValue + 2;
  const std::string row = fmt::format("  {} {}", padded(name, kName), padded(value, kValue, true));
  if (remark.empty()) return row + "\n";
  std::string out;
  for (const std::string& line : split(wrapped(remark, kWidth - kRemark, 0), '\n')) {
    out += (out.empty() ? row + "  " : std::string(kRemark, ' ')) + line + "\n";
  }
  return out;
}

std::string plain_text(const Style& style, std::string text) {
  if (style.unicode) return text;
  for (const auto& [wide, narrow] : {std::pair{"·", "-"}, {"×", "x"}}) {
    const std::string_view from = wide;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, from.size(), narrow);
  }
  return text;
}

std::string percent(double share) {
  const double value = share * 100;
  if (value != 0.0 && std::fabs(value) < 1.0) return significant(value, 1) + "%";
  if (value > 99.0 && value < 100.0) return fmt::format("{:.1f}%", std::min(value, 99.9));
  return fmt::format("{:.0f}%", value);
}

}  // namespace ridge::report
