#include "report/calibrate/validation_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "report/calibrate/decisions_text.hpp"

namespace ridge::report {

std::string suspects_sentence(const Validation& validation) {
  return fmt::format("{} of {} runs are faster than the bound ({:.2g} %)", validation.suspects.size(),
                     validation.bounded,
                     100.0 * static_cast<double>(validation.suspects.size()) /
                         static_cast<double>(std::max<std::size_t>(1, validation.bounded)));
}

std::string figure_title(SpreadFigure figure) {
  constexpr std::array<const char*, kSpreadFigures> kTitles = {"TPOT", "TTFT", "TTFT with few in flight", "throughput"};
  return kTitles[static_cast<std::size_t>(figure)];
}

namespace {

constexpr std::size_t kShownSuspects = 12;

std::string line_text(const ValidationLine& line) {
  std::string out = fmt::format("  {} {:>6} {:>+6.1f}% {:>5.1f}% {:>5.1f}%", padded(line.name, 25), line.errors.rows,
                                100 * line.errors.bias, 100 * line.errors.mean, 100 * line.errors.p90);
  if (line.worst.empty()) return out + "\n";
  const std::string worst = fmt::format("{:.0f}% {}", 100 * line.worst_error, line.worst);
  if (shown_width(out) + 2 + shown_width(worst) <= 80) return out + "  " + worst + "\n";
  return out + "\n" + wrapped(std::string(6, ' ') + worst, 80, 6) + "\n";
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

/// "left out: chip", "model: deepseek-r1", "all".
std::string coverage_name(const CoverageLine& line) {
  return line.group == "all" ? "all" : line.group == "left out" ? "without its " + line.name : "  " + line.name;
}

std::string noise_table(const char* title, const std::vector<NoiseLine>& lines, const Style& style) {
  if (lines.empty()) return {};
  std::string out = "\n" + bold(style, padded(title, 28)) + "  runs  of    median   mean    p90\n";
  for (const NoiseLine& line : lines) {
    const std::string name = line.name == "all" ? line.figure : "  " + line.name;
    out += fmt::format("  {} {:>6}  {:>4} {:>7.1f}% {:>5.1f}% {:>5.1f}%\n", padded(name, 25), line.runs,
                       line.configurations, 100 * line.median, 100 * line.mean, 100 * line.p90);
  }
  return out;
}

/// Runs of which it is known how each request was sent, one by one: errors in percent.
std::string sent_text(const std::vector<SimulatedRun>& runs, const Style& style) {
  constexpr std::array<const char*, 6> kFigures = {"TTFT mean", "TTFT p50", "TTFT p99",
                                                   "TPOT mean", "E2E mean", "E2E p99"};
  std::vector<const SimulatedRun*> sent;
  for (const SimulatedRun& run : runs) {
    if (!run.pooled) sent.push_back(&run);
  }
  if (sent.empty()) return {};
  std::stable_sort(sent.begin(), sent.end(),
                   [](const SimulatedRun* one, const SimulatedRun* other) { return one->set < other->set; });
  std::string out, set;
  for (const SimulatedRun* run : sent) {
    if (run->set != set) {
      set = run->set;
      out += "\n" + bold(style, padded(set, 39)) + "  TTFT   p50   p99  TPOT   E2E   p99\n";
    }
    out += "  " + padded(run->id, 37);
    for (const char* name : kFigures) {
      const auto found = std::find_if(run->figures.begin(), run->figures.end(),
                                      [&](const SimulatedFigure& figure) { return figure.name == name; });
      out += found == run->figures.end() ? fmt::format("{:>6}", "-")
                                         : fmt::format("{:>+6.0f}", 100 * (found->predicted / found->measured - 1));
    }
    if (run->is_in_range) out += *run->is_in_range ? "  in" : "  out";
    out += "\n";
  }
  return out +
         wrapped(
             "runs sent again, one by one: predicted / measured - 1 in percent; -: not measured, or of a run that "
             "compiled meanwhile; in, out: near saturation, whether TTFT is in the range that an answer gives there",
             style.columns, 0) +
         "\n";
}

std::string noise_text(const ValidationReport& report, const Style& style) {
  const std::string out = noise_table("noise between repeated runs", report.validation.noise, style) +
                          noise_table("noise of what was simulated", report.simulated_noise, style);
  if (out.empty()) return out;
  return out +
         wrapped(
             "how far a run lies from others of its configuration (of: how many of these), engine version and "
             "month: no prediction can be nearer on average",
             style.columns, 0) +
         "\n";
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

}  // namespace

std::string validation_text(const ValidationReport& report, const Style& style) {
  std::string out = bold(style, "Predictions against " + report.evidence) + "\n";
  for (const std::string& sentence : validation_headline(report))
    out += wrapped("  " + sentence, style.columns, 4) + "\n";
  out += "\n";
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
  if (report.decisions) out += decisions_text(*report.decisions, report.seen_decisions, style);
  out += sent_text(report.simulated, style);
  out += noise_text(report, style);
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

}  // namespace ridge::report
