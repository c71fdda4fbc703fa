#pragma once
// What became of the choices that predictions lead to, for a terminal and as a section of docs/validation.md.

#include <optional>
#include <string>

#include "calibrate/judge/decisions.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

/// "with its model left out, 3.1 % of 520 choices miss their TPOT target (goal 10 %), ...".
std::string decisions_sentence(const Decisions& decisions);
/// `seen`: the same among runs alone that fits of others see, where there are more.
std::string decisions_text(const Decisions& decisions, const std::optional<Decisions>& seen, const Style& style);
std::string decisions_section(const Decisions& decisions, const std::optional<Decisions>& seen);

}  // namespace ridge::report
