#include "report/calibrate/validation_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"

namespace ridge::report {

namespace {

constexpr std::size_t kShownSuspects = 12;

std::string suspects_sentence(const Validation& validation) {
  return fmt::format("{} of {} runs are faster than the bound ({:.2g} %)", validation.suspects.size(),
                     validation.bounded,
                     100.0 * static_cast<double>(validation.suspects.size()) /
                         static_cast<double>(std::max<std::size_t>(1, validation.bounded)));
}

std::string line_text(const ValidationLine& line) {
  std::string out = fmt::format("  {} {:>6} {:>+6.1f}% {:>5.1f}% {:>5.1f}%", padded(line.name, 25), line.errors.rows,
                                100 * line.errors.bias, 100 * line.errors.mean, 100 * line.errors.p90);
  if (!line.worst.empty()) out += fmt::format("  {:.0f}% {}", 100 * line.worst_error, line.worst);
  return wrapped(out, 80, 60) + "\n";
}

std::string table(const std::vector<ValidationLine>& lines, const Style& style) {
  std::string out, group;
  for (const ValidationLine& line : lines) {
    if (line.group != group) {
      group = line.group;
      out += "\n" + bold(style, padded(group, 28)) + "  rows    bias   mean    p90  worst part\n";
    }
    out += line_text(line);
  }
  return out;
}

std::string figure_title(SpreadFigure figure) {
  constexpr std::array<const char*, kSpreadFigures> kTitles = {"TPOT", "TTFT", "TTFT with few in flight", "throughput"};
  return kTitles[static_cast<std::size_t>(figure)];
}

/// "left out: chip", "model: deepseek-r1", "all".
std::string coverage_name(const CoverageLine& line) {
  return line.group == "all" ? "all" : line.group == "left out" ? "without its " + line.name : "  " + line.name;
}

std::string coverage_text(const Coverage& coverage, const Style& style) {
  std::string out, group;
  for (const CoverageLine& line : coverage.lines) {
    const std::string title = figure_title(line.figure) + ", in its interval";
    if (title != group) out += "\n" + bold(style, padded(title, 36)) + "  runs   50 %   80 %   95 %  error  width\n";
    group = title;
    out += fmt::format("  {} {:>6} {:>5.1f}% {:>5.1f}% {:>5.1f}% {:>6.3f} {:>5.2f}x\n", padded(coverage_name(line), 33),
                       line.runs, 100 * line.inside[0], 100 * line.inside[1], 100 * line.inside[2], line.error,
                       line.width / line.error);
  }
  out += wrapped(
             "error: mean size of ln(measured / predicted); width: mean ln(high / low) of the 80 % interval, over it. "
             "Each run's interval is made from the errors of runs that were not left out with it",
             style.columns, 0) +
         "\n";
  return out;
}

std::string coverage_page(const Coverage& coverage) {
  std::string out =
      "\n## Whether the intervals hold\n\n"
      "Every run was left out of a fit in eight ways: with its model, its chip's runs, its chip's runs and kernels, "
      "its\n"
      "engine, its kind of layout, its end of the loads (fewest and most in flight, longest), all runs of its model, "
      "chip\n"
      "and engine together, and with a quarter of the runs by a hash. The share of them inside the interval of each "
      "level,\n"
      "where the interval is made from the errors of the runs that were not left out with it\n"
      "([errors.md](theory/errors.md)). Error is the mean size of ln(measured / predicted), width the mean ln(high / "
      "low)\n"
      "of the 80 % interval over that error. All runs of a figure together have to lie between 45 and 57, 73 and 87,\n"
      "90 and 98 %, with a width of at most 3.5; a single group need not, and where it does not, this page says so.\n";
  std::string group;
  for (const CoverageLine& line : coverage.lines) {
    const std::string title = figure_title(line.figure);
    if (title != group)
      out += fmt::format(
          "\n### {}\n\n| | runs | in 50 % | in 80 % | in 95 % | error | width |\n|---|---|---|---|---|---|---|\n",
          title);
    group = title;
    out += fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.3f} | {:.2f} |\n",
                       line.group == "all" ? "**all**" : line.group + ": " + line.name, line.runs, 100 * line.inside[0],
                       100 * line.inside[1], 100 * line.inside[2], line.error, line.width / line.error);
  }
  for (const std::string& failure : coverage.failures) out += "\nThe gate fails: " + failure + ".\n";
  return out;
}

}  // namespace

std::string validation_text(const ValidationReport& report, const Style& style) {
  std::string out = bold(style, "Predictions against " + report.evidence) + "\n";
  out += wrapped(
             std::string("predicted / measured - 1: its mean (bias), the mean of its size, and the size that 90 % stay "
                         "below. ") +
                 (report.built_in ? "The numbers were fitted to these rows, but for wide expert parallelism and what "
                                    "was left out"
                                  : "Rows that are not compiled in took no part in the fit"),
             style.columns, 0) +
         "\n";
  out += table(report.validation.lines, style);
  for (const LeftOut& left : report.left_out) out += table(left.lines, style);
  if (report.coverage) out += coverage_text(*report.coverage, style);
  out += "\n" + suspects_sentence(report.validation) + "\n";
  for (std::size_t i = 0; i < std::min(kShownSuspects, report.validation.suspects.size()); ++i) {
    const Suspect& one = report.validation.suspects[i];
    out += wrapped(fmt::format("  {}: {:.3g} ms against {:.3g} ms: {}", one.set, one.measured * 1e3, one.bound * 1e3,
                               one.what),
                   style.columns, 4) +
           "\n";
  }
  out += "\nnot judged, by reason\n";
  for (const auto& [why, count] : report.validation.left_out) {
    out += wrapped(fmt::format("  {:>6} {}", count, why), style.columns, 9) + "\n";
  }
  return out;
}

std::string validation_page(const ValidationReport& report) {
  std::string out =
      "# How good the predictions are\n\nWritten by `ridge validate --leave-one-out all --coverage --page`; do not "
      "edit. "
      "The rows are those of\n"
      "`catalog/evidence`, chosen by a hash before anything was fitted; `catalog/evidence/README.md` says how, and by\n"
      "which rules a row counts as wrong. The chips' and engines' numbers are fitted to these same rows, so the "
      "tables\n"
      "of kernels, TPOT, TTFT and throughput are in-sample. What counts for a new model or\n"
      "chip are the tables of what was left out; `tests/validation/evidence_test.py` judges rows that no fit has "
      "seen.\n"
      "Wide expert parallelism is predicted and was never fitted; where such a run does not say its concurrency, that\n"
      "number is taken from its measured rate and speed. Where prefill is disaggregated, the decode batch\n"
      "is taken from the run's own times (Little's law), and TTFT is not judged.\n"
      "Behind the table of kernels stand 14 numbers a "
      "chip,\n"
      "22 that all chips share, and three for each program that timed kernels (how it starts them). Where a chip's "
      "kernels\n"
      "are left out with its runs, the numbers that all chips share had still seen them; MI355X has none to leave "
      "out.\n";
  std::string group;
  const auto add = [&](const std::vector<ValidationLine>& lines) {
    for (const ValidationLine& line : lines) {
      if (line.group != group) {
        group = line.group;
        out += fmt::format(
            "\n## {}{}\n\n| | rows | bias | mean error | 90th percentile | worst part |\n|---|---|---|---|---|---|\n",
            static_cast<char>(std::toupper(static_cast<unsigned char>(group[0]))), group.substr(1));
      }
      out += fmt::format("| {} | {} | {:+.1f} % | {:.1f} % | {:.1f} % | {} |\n", line.name, line.errors.rows,
                         100 * line.errors.bias, 100 * line.errors.mean, 100 * line.errors.p90,
                         line.worst.empty() ? "" : fmt::format("{:.0f} % {}", 100 * line.worst_error, line.worst));
    }
  };
  add(report.validation.lines);
  for (const LeftOut& left : report.left_out) add(left.lines);
  if (report.coverage) out += coverage_page(*report.coverage);
  out += "\n## Faster than the bound\n\n" + suspects_sentence(report.validation) + ".\n\n";
  for (const Suspect& one : report.validation.suspects) {
    out +=
        fmt::format("- {}: {:.3g} ms against {:.3g} ms: {}\n", one.set, one.measured * 1e3, one.bound * 1e3, one.what);
  }
  out += "\n## Not judged\n\n";
  for (const auto& [why, count] : report.validation.left_out) out += fmt::format("- {} rows: {}\n", count, why);
  return out;
}

}  // namespace ridge::report
