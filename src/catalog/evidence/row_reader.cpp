#include "catalog/evidence/row_reader.hpp"

#include <cmath>

namespace ridge::catalog {

namespace {

struct Limits {
  double least, most;
  bool whole;
  const char* words;
};
Limits limits_of(Holds holds) {
  constexpr double kMost = 1e15, kSmall = 1e-300;
  switch (holds) {
    case Holds::few:
      return {1, 1e6, true, "a whole number from 1 to a million"};
    case Holds::count:
      return {1, 1e9, true, "a whole number from 1 to a billion"};
    case Holds::zero_or_more:
      return {0, kMost, false, "zero or more, and below 1e15"};
    case Holds::share:
      return {0, 1 - 1e-12, false, "a share from 0 to below 1"};
    default:
      return {kSmall, kMost, false, "positive, and below 1e15"};
  }
}

}  // namespace

std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  if (!contains(line, "\"")) return split(line, ',');
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return {};
  return fields;
}

std::string put_words(std::string& field, Holds holds, const std::string& text) {
  if (text.empty() && holds != Holds::any_text) return "is empty";
  field = text;
  return {};
}

std::string put_flag(bool& field, bool may_lack, const std::string& text) {
  if (text.empty() && may_lack) return {};
  if (text != "0" && text != "1") return fmt::format("'{}' is neither 0 nor 1", shortened(text));
  field = text == "1";
  return {};
}

std::string put_number(double& field, Holds holds, double unit, const std::string& text) {
  if (text.empty() && holds == Holds::measured) return {};
  const auto number = parse_number(text);
  if (!number) return fmt::format("'{}' is not a number", shortened(text));
  const Limits limits = limits_of(holds);
  if (!(*number >= limits.least && *number <= limits.most) || (limits.whole && *number != std::floor(*number)))
    return fmt::format("{} is not {}", shortened(text), limits.words);
  field = *number * unit;
  return {};
}

}  // namespace ridge::catalog
