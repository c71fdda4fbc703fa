// ridge validate: predictions against measured kernels and runs. ridge calibrate: the fit behind them.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.hpp"
#include "calibrate/halves.hpp"
#include "catalog/entries/calibration_file.hpp"
#include "catalog/entries/evidence_file.hpp"
#include "catalog/facts/files.hpp"
#include "cli/program.hpp"
#include "report/calibrate/validation_text.hpp"

namespace ridge::cli {

namespace {

Result<Evidence> evidence_of(const Options& options) {
  return options.evidence_folder.empty() ? catalog::read_evidence(catalog::embedded_evidence())
                                         : catalog::read_evidence_folder(options.evidence_folder);
}

Result<std::vector<LeaveOut>> leave_outs(const Options& options) {
  std::vector<LeaveOut> all;
  if (options.leave_out.empty()) return all;
  if (options.leave_out == "model" || options.leave_out == "all") all.push_back(LeaveOut::model);
  if (options.leave_out == "chip" || options.leave_out == "all") {
    all.push_back(LeaveOut::chip);
    all.push_back(LeaveOut::chip_and_kernels);
  }
  if (!all.empty()) return all;
  return fail({"--leave-one-out", fmt::format("\"{}\" cannot be left out", shortened(options.leave_out)),
               "model, chip or all"});
}

/// The gate: every pooled line of the validation, and what was left out taken together.
int judged(const report::ValidationReport& report, double most) {
  int code = kAnswered;
  const auto judge = [&](const ValidationLine& line) {
    if (line.errors.mean <= most) return;
    say(fmt::format("ridge: {}, {}: mean error {:.1f} % is above the gate of {:.1f} %\n", line.group, line.name,
                    100 * line.errors.mean, 100 * most));
    code = kGateFailed;
  };
  for (const ValidationLine& line : report.validation.lines) {
    if (line.group == kTpotGroup || line.group == kThroughputGroup) judge(line);
  }
  for (const LeftOut& left : report.left_out) {
    for (const ValidationLine& line : left.lines) {
      if (line.name == kAggregated) judge(line);
    }
  }
  return code;
}

}  // namespace

int run_validate(const Options& options, Program& program) {
  const auto by = leave_outs(options);
  if (!by) return report_errors(by.error(), options);
  const auto evidence = evidence_of(options);
  if (!evidence) return report_errors(evidence.error(), options);
  report::ValidationReport report;
  report.evidence = options.evidence_folder.empty() ? "the built-in evidence" : options.evidence_folder;
  report.built_in = options.evidence_folder.empty();
  report.validation = validate(*evidence, program.library);
  auto by_halves = judge_by_halves(*evidence, program.library);
  if (!by_halves) return report_errors(by_halves.error(), options);
  for (ValidationLine& line : *by_halves) report.validation.lines.push_back(std::move(line));
  for (const LeaveOut one : *by) {
    say(fmt::format("ridge: fitting without each {} in turn\n", one == LeaveOut::model ? "model" : "chip"));
    auto left = leave_one_out(*evidence, program.library, one);
    if (!left) return report_errors(left.error(), options);
    report.left_out.push_back(std::move(*left));
  }
  int code = kAnswered;
  if (options.page) {
    code = print(report::validation_page(report));
  } else {
    code = print(options.json ? report::validation_json(report) : report::validation_text(report, program.style));
  }
  return code == kAnswered && options.most_error > 0 ? judged(report, options.most_error) : code;
}

int run_calibrate(const Options& options, Program& program) {
  const auto evidence = evidence_of(options);
  if (!evidence) return report_errors(evidence.error(), options);
  say(fmt::format("ridge: fitting {} kernels, then {} serving runs; this takes about a minute\n",
                  evidence->kernels.size(), evidence->serving.size()));
  const auto entries = calibrate(*evidence, program.library);
  if (!entries) return report_errors(entries.error(), options);
  std::string all;
  for (const CalibrationEntry& entry : *entries) {
    const std::string text = catalog::calibration_toml(entry);
    if (options.out_file.empty()) {
      all += fmt::format("# calibration/{}.toml\n{}\n", entry.name, text);
      continue;
    }
    const std::string path = (std::filesystem::path(options.out_file) / (entry.name + ".toml")).string();
    if (const int code = write(path, text, options); code != kAnswered) return code;
  }
  return print(all);
}

}  // namespace ridge::cli
