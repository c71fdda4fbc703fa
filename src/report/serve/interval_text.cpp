#include "report/serve/interval_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::report {

namespace {

std::string level_text() { return fmt::format("{:g} %", 100 * kLevels[kShownLevel]); }

/// The unit behind a shown number: "ms".
std::string unit_of(const std::string& shown) { return shown.substr(std::min(shown.find(' '), shown.size())); }
std::string without_unit(const std::string& shown) { return shown.substr(0, shown.find(' ')); }

std::string rate_shown(double rate) {
  return rate >= 1000 ? with_commas(std::round(rate)) : fmt::format("{:.3g}", rate);
}

}  // namespace

std::string interval_text(const AnswerErrors& errors, SpreadFigure figure, const Seconds<double>& estimate) {
  if (!errors.known) return "";
  const FigureInterval ends = errors.around(estimate.value(), figure);
  const std::string low = show(Seconds<double>(ends.low), 3), high = show(Seconds<double>(ends.high), 3);
  const std::string unit = unit_of(show(estimate));
  if (unit_of(low) == unit && unit_of(high) == unit)
    return fmt::format("{} to {}, {}", without_unit(low), without_unit(high), level_text());
  return fmt::format("{} to {}, {}", low, high, level_text());
}

std::string rate_interval_text(const AnswerErrors& errors, double estimate) {
  if (!errors.known) return "";
  const FigureInterval ends = errors.around(estimate, SpreadFigure::throughput);
  return fmt::format("{} to {}, {}", rate_shown(ends.low), rate_shown(ends.high), level_text());
}

std::string money_interval_text(const AnswerErrors& errors, double estimate) {
  if (!errors.known) return "";
  const FigureInterval ends = errors.around(estimate, SpreadFigure::throughput);
  return fmt::format("{} to {}, {}", money(ends.low), money(ends.high), level_text());
}

std::string in_brackets(const std::string& interval) { return interval.empty() ? "" : " (" + interval + ")"; }

std::string situation_text(const AnswerErrors& errors) {
  if (!errors.known) return "error not known: no calibration of left-out runs (ridge calibrate)";
  const std::vector<std::string> missing = unmeasured_in(errors.situation);
  if (missing.empty()) return "";
  return joined(missing, "; ") + ": the intervals are wider for it";
}

}  // namespace ridge::report
