#include "report/base/counts.hpp"

#include <array>
#include <utility>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::report {

std::string count_text(double value, int digits) {
  constexpr std::array<std::pair<double, const char*>, 5> kWords = {
      {{1e15, "P"}, {1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [scale, name] : kWords) {
    if (value >= scale * 0.9995) return significant(value / scale, digits) + name;
  }
  return significant(value, digits);
}

std::string plural(double count, std::string_view word) {
  return with_commas(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

std::string chip_word(std::string_view machine_title) {
  return machine_title.ends_with(" GPUs") || machine_title.ends_with(" single card") ? "GPU" : "chip";
}

std::string chips_text(double chips, std::string_view machine_title) {
  return significant(chips, 4) + " " + chip_word(machine_title) + (chips == 1 ? "" : "s");
}

std::string machine_kind(std::string_view machine_title) {
  const std::size_t comma = machine_title.rfind(", ");
  const bool counted = machine_title.ends_with(" chips") || machine_title.ends_with(" GPUs");
  return std::string(counted ? machine_title.substr(0, comma) : machine_title);
}

std::string time_text(const Seconds<double>& time) {
  const std::string text = show(time);
  const bool many = text != "1 day" && text != "1 year";
  return many && (text.ends_with("day") || text.ends_with("year")) ? text + "s" : text;
}

}  // namespace ridge::report
