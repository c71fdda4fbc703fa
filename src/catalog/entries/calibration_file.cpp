#include "catalog/entries/calibration_file.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr std::string_view kSpread = " ± ";

/// Ratios between steps and kernels have the names of the times, but no unit.
bool is_time(std::string_view of, std::string_view name) {
  if (of == "step" || name.starts_with("step.")) return false;
  const std::string_view field = name.substr(name.rfind('.') + 1);  // npos + 1 is 0
  return field.ends_with("_time") || field.starts_with("depth_") || field == "reduce_per_chip" || field == "extra" ||
         field == "launch" || field == "slope" || field == "walk";
}

/// "2.35 us ± 3 %": the second is the standard deviation of the logarithm.
std::optional<FittedNumber> parsed(std::string_view of, std::string_view name, std::string_view text) {
  FittedNumber number;
  const std::size_t at = text.find(kSpread);
  if (at != std::string_view::npos) {
    std::string_view share = text.substr(at + kSpread.size());
    if (!share.ends_with(" %")) return {};
    share.remove_suffix(2);
    const auto spread = parse_number(share);
    if (!spread || *spread < 0) return {};
    number.spread = *spread / 100;
    text = text.substr(0, at);
  }
  if (is_time(of, name)) {
    const auto time = parse<Seconds<double>>(text, "calibration");
    if (!time) return {};
    number.value = time->value();
  } else {
    const auto plain = parse_number(text);
    if (!plain) return {};
    number.value = *plain;
  }
  if (!(number.value > 0)) return {};
  return number;
}

std::string shown(std::string_view of, std::string_view name, const FittedNumber& number) {
  const bool long_time = number.value >= 1e-3;
  std::string value = fmt::format("{:.4g}", number.value);
  if (is_time(of, name)) {
    value = long_time ? fmt::format("{:.4g} ms", number.value * 1e3) : fmt::format("{:.4g} us", number.value * 1e6);
  }
  return number.spread > 0 ? fmt::format("{}{}{:.2g} %", value, kSpread, number.spread * 100) : value;
}

}  // namespace

CalibrationEntry read_calibration(Entry& entry) {
  CalibrationEntry out;
  out.name = entry.name();
  out.title = entry.text("title");
  out.of = entry.text("of");
  out.range = entry.text("range", false);
  out.note = entry.text("note", false);
  out.measured = entry.text("measured", false);
  if (entry.has("rows")) out.rows = entry.number("rows");
  if (entry.has("error")) out.error = entry.number("error");
  for (const std::string& name : entry.keys_below("number")) {
    const std::string key = "number." + name;
    const std::string text = entry.text(key);
    out.from = entry.provenance(key);
    if (const auto number = parsed(out.of, name, text)) {
      out.numbers[name] = *number;
    } else {
      entry.complain(key, fmt::format("\"{}\" is not a fitted number", shortened(text)),
                     "write \"0.85 ± 2 %\", or \"2.3 us ± 5 %\" for a time");
    }
  }
  return out;
}

std::string calibration_toml(const CalibrationEntry& entry) {
  std::string out = fmt::format("title = \"{}\"\nof    = \"{}\"\n", entry.title, entry.of);
  if (entry.rows > 0) out += fmt::format("rows  = {:g}\nerror = {:.4f}\n", entry.rows, entry.error);
  if (!entry.range.empty()) out += fmt::format("range = \"{}\"\n", entry.range);
  if (!entry.measured.empty()) out += fmt::format("measured = \"{}\"\n", entry.measured);
  if (!entry.note.empty()) out += fmt::format("note  = \"{}\"\n", entry.note);
  out += fmt::format("\n[number]\nsource = \"{}\"\n", entry.from.source);
  for (const auto& [name, number] : entry.numbers)
    out += fmt::format("{} = \"{}\"\n", name, shown(entry.of, name, number));
  return out;
}

}  // namespace ridge::catalog
