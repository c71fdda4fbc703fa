#pragma once
// Degrees of a layout in a row: "TP2·PP4".

#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace ridge {

/// Those above one, each after its name; empty where there are none.
inline std::string degrees_text(std::initializer_list<std::pair<const char*, double>> degrees, const char* between) {
  std::string out;
  for (const auto& [name, degree] : degrees) {
    if (degree > 1) out += fmt::format("{}{}{:g}", out.empty() ? "" : between, name, degree);
  }
  return out;
}

}  // namespace ridge
