#include "report/calibrate/training_validation.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::report {

namespace {

std::string training_line(const TrainingLine& line) {
  return fmt::format("  {}{}{}{}{}\n", padded(clipped(line.name, 38), 40), padded(with_commas(line.rows), 7, true),
                     padded(fmt::format("{:.1f}%", 100 * line.mean), 9, true),
                     padded(fmt::format("{:+.1f}%", 100 * line.bias), 9, true),
                     padded(fmt::format("{:.0f}%", 100 * line.worst), 8, true));
}

std::string training_lines(const std::vector<TrainingLine>& lines, const Style& style) {
  std::string out, group;
  for (const TrainingLine& line : lines) {
    if (line.rows == 0) continue;
    if (line.group != group) {
      group = line.group;
      out += "\n" +
             dim(style, fmt::format("  {}{}{}{}{}", padded(group, 40), padded("rows", 7, true),
                                    padded("|error|", 9, true), padded("bias", 9, true), padded("worst", 8, true))) +
             "\n";
    }
    out += training_line(line);
  }
  return out;
}

}  // namespace

std::string training_validation_text(const TrainingValidationReport& report, const Style& style) {
  const TrainingValidation& v = report.validation;
  std::string out = bold(style, "Training steps and memory, predicted against measured") + "\n";
  out += wrapped(fmt::format("{} rows of {}; the {} below were not fitted", with_commas(report.rows), report.evidence,
                             with_commas(report.judged)),
                 style.columns, 2) +
         "\n";
  out += training_lines(v.lines, style);
  if (v.worked + v.crashed > 0) {
    out += "\n" +
           wrapped(fmt::format("layouts of the Ultra-Scale sweep: {:.0f} of {:.0f} that worked are said to fit, "
                               "{:.0f} of {:.0f} that crashed are said not to",
                               v.accepted, v.worked, v.flagged, v.crashed),
                   style.columns, 2) +
           "\n";
  }
  out += training_lines(report.without, style);
  if (!report.left_out.empty()) out += "\n";
  for (const auto& [why, count] : report.left_out)
    out += wrapped(fmt::format("left out: {} ({} rows)", shortened(why), count), style.columns, 2) + "\n";
  return out;
}

}  // namespace ridge::report
