#pragma once
// The answer to `ridge why` for programs. docs/json.md describes the fields; the schema name changes when they do.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/number/interval.hpp"
#include "library/library.hpp"
#include "roofline/answer.hpp"
#include "roofline/sensitivity.hpp"

namespace ridge::report {

struct WhyExtras {
  std::optional<std::vector<Sensitivity>> sensitivity;
  std::optional<std::array<Interval, kDecodeOutputs>> bounds;
};

std::string why_json(const WhyAnswer& answer, const WhyExtras& extras = {});
std::string errors_json(const Errors& errors);

}  // namespace ridge::report
