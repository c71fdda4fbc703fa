#include "report/counts.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"

namespace ridge::report {

std::string count_text(double value, int digits) {
  constexpr std::array<std::pair<double, const char*>, 5> kWords = {
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [scale, name] : kWords) {
    if (value >= scale * 0.9995) return significant(value / scale, digits) + name;
  }
  return significant(value, digits);
}

}  // namespace ridge::report
