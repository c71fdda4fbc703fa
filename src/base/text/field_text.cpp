#include "base/text/field_text.hpp"

namespace ridge {

namespace {

// Control characters, which no text that people or programs give us keeps.
constexpr char kOpens = '\x01', kGives = '\x02', kCloses = '\x03';

}  // namespace

std::string field(std::string_view name, std::string_view value) {
  std::string mark(1, kOpens);
  mark += name;
  if (!value.empty()) (mark += kGives) += value;
  return mark += kCloses;
}

std::string with_fields_shown(std::string_view text,
                              const std::function<std::string(std::string_view, std::string_view)>& show) {
  std::string out;
  for (std::size_t opens = 0; (opens = text.find(kOpens)) != std::string_view::npos;) {
    const std::size_t closes = text.find(kCloses, opens);
    if (closes == std::string_view::npos) break;
    const std::string_view mark = text.substr(opens + 1, closes - opens - 1);
    const std::size_t gives = mark.find(kGives);
    out += text.substr(0, opens);
    out += show(mark.substr(0, gives), gives == std::string_view::npos ? "" : mark.substr(gives + 1));
    text.remove_prefix(closes + 1);
  }
  return out += text;
}

std::string with_plain_fields(std::string_view text) {
  return with_fields_shown(text, [](std::string_view name, std::string_view value) {
    return value.empty() ? std::string(name) : std::string(name) + " = " + std::string(value);
  });
}

}  // namespace ridge
