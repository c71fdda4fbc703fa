#pragma once
// What `ridge validate` found, for a terminal, as a page for docs/ and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "calibrate/judge/coverage.hpp"
#include "calibrate/judge/decisions.hpp"
#include "calibrate/judge/simulated_runs.hpp"
#include "calibrate/judge/validate.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct ValidationReport {
  Validation validation;
  std::vector<LeftOut> left_out;
  std::optional<Coverage> coverage;         // where asked for
  std::optional<Decisions> decisions;       // where asked for, among all runs
  std::optional<Decisions> seen_decisions;  // and among those alone that fits of others see, where there are more
  bool built_in = true;                     // the rows that the fit has seen
  std::string evidence;                     // "the built-in evidence", or a folder
  std::vector<KnownCause> causes;
  std::vector<SimulatedRun> simulated;  // where asked for, run by run
  std::vector<NoiseLine> simulated_noise;
  std::string charts;  // "validation": the page shows validation-tpot.svg, ...; empty: no charts
};

/// Rows that are off by more than a fifth on average, and why, as far as somebody knows.
struct ValidationFailure {
  std::string group, name;  // of a line, or of its worst part
  std::size_t rows = 0;
  double mean = 0;
  std::string cause;  // empty: not known
};
inline constexpr double kFailureError = 0.20;
std::vector<ValidationFailure> failures_of(const ValidationReport& report);

/// What it comes to, a sentence each.
std::vector<std::string> validation_headline(const ValidationReport& report);

/// "TTFT with few in flight".
std::string figure_title(SpreadFigure figure);
/// "0 of 1352 runs are faster than the bound (0 %)".
std::string suspects_sentence(const Validation& validation);

std::string validation_text(const ValidationReport& report, const Style& style);
std::string validation_page(const ValidationReport& report);
/// `with_page`: the page as well, in the key "page".
std::string validation_json(const ValidationReport& report, bool with_page = false);

}  // namespace ridge::report
