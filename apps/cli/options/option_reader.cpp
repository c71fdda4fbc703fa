#include "cli/options/option_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "cli/options/flags.hpp"

namespace ridge::cli {

double OptionReader::number(std::string_view key, double otherwise, const Within& within) {
  const auto value = read<Ratio<double>>(key, within);
  return value ? value->value() : otherwise;
}

std::vector<std::string> OptionReader::every_word(std::string_view key) {
  std::vector<std::string> out;
  if (!arguments_.has(key)) return out;
  for (const std::string& part : split(arguments_.text(key), ',')) {
    if (std::string word(trimmed(part)); !word.empty()) out.push_back(std::move(word));
  }
  if (out.empty()) refuse(key, "nothing between the commas", "one value, or several with commas between them");
  return out;
}

std::vector<std::string> OptionReader::words(std::string_view key) {
  std::vector<std::string> out;
  for (std::string& word : every_word(key)) {
    if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(std::move(word));
  }
  return out;
}

Result<Interval> checked_range(const catalog::RangeText& range, const InputInfo& info, Dimension dimension) {
  const std::string where = "--range " + range.key;
  const auto values = catalog::parse_range(range, dimension, where);
  if (!values) return values;
  Errors errors;
  for (const double end : {values->low, values->high}) {
    if (const auto checked = checked_value(info, dimension, end, where); !checked) append(errors, checked.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return values;
}

std::vector<OptionReader::Pair> OptionReader::pairs(std::string_view key, std::string_view example) {
  std::vector<Pair> out;
  const std::string flag = flag_of(key, *arguments_.command);
  for (const std::string& text : arguments_.all(key)) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      refuse(key, fmt::format("\"{}\" has no =", shortened(text)), fmt::format("write KEY=VALUE, e.g. {}", example));
      continue;
    }
    const std::string name(trimmed(text.substr(0, equals)));
    out.push_back({name, text.substr(equals + 1), flag + " " + name});
  }
  return out;
}

bool OptionReader::allowed(std::string_view key, std::string_view text, double value, const Within& within) {
  return take(checked_within(value, within, text, key)).has_value();
}

}  // namespace ridge::cli
