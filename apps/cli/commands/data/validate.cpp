// ridge validate: predictions against measured kernels and runs.

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "calibrate/anchor/anchor_trial.hpp"
#include "calibrate/fit/halves.hpp"
#include "calibrate/judge/coverage.hpp"
#include "calibrate/judge/kernel_halves.hpp"
#include "calibrate/judge/simulated_runs.hpp"
#include "calibrate/judge/training_judge.hpp"
#include "calibrate/judge/worth.hpp"
#include "catalog/entries/recipes.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/evidence.hpp"
#include "report/calibrate/numbers_page.hpp"
#include "report/calibrate/training_validation.hpp"
#include "report/calibrate/validation_charts.hpp"
#include "serve/slo/slo_odds.hpp"

namespace ridge::cli {

namespace {

Result<std::vector<LeaveOut>> leave_outs(const Arguments& arguments) {
  const std::string what = arguments.text("leave_one_out");
  std::vector<LeaveOut> all;
  if (what.empty()) return all;
  if (what == "model" || what == "all") all.push_back(LeaveOut::model);
  if (what == "chip" || what == "all") {
    all.push_back(LeaveOut::chip);
    all.push_back(LeaveOut::chip_and_kernels);
  }
  if (!all.empty() || what == "anchor" || what == "kernels") return all;
  return fail({"leave_one_out", fmt::format("\"{}\" cannot be left out", shortened(what)),
               "model, chip, kernels, all or anchor"});
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

/// "docs/validation.svg" -> "docs/validation": three charts have three names.
std::string chart_stem(const std::string& path) {
  return lower_case(path).ends_with(".svg") ? path.substr(0, path.size() - 4) : path;
}

Result<int> write_charts(const std::string& path, const report::ValidationReport& report) {
  const report::ValidationCharts charts = report::validation_charts(report);
  const std::pair<const char*, const report::Scatter*> files[] = {
      {"tpot", &charts.tpot}, {"prefill", &charts.prefill}, {"kernels", &charts.kernels}};
  for (const auto& [name, chart] : files) {
    const auto wrote = write_svg(fmt::format("{}-{}.svg", chart_stem(path), name), report::to_svg(*chart));
    if (!wrote || *wrote != kAnswered) return wrote;
  }
  return kAnswered;
}

/// The gate of the intervals: what breaks it is said.
bool covered(const Coverage& coverage) {
  for (const std::string& failure : coverage.failures) say(fmt::format("ridge: {}\n", failure));
  return coverage.failures.empty();
}

/// The fitted numbers instead of what they predict.
Result<int> run_numbers(const Arguments& arguments, const Program& program) {
  for (const char* other :
       {"max_error", "leave_one_out", "coverage", "decisions", "confidence", "simulate", "svg", "evidence"}) {
    if (arguments.has(other)) return fail({other, "has no meaning for the fitted numbers", "leave out one of the two"});
  }
  const std::vector<report::ListedNumber> numbers = report::listed_numbers(program.library);
  const std::optional<Worth> worth = worth_in(program.library);
  const bool page = arguments.has("page");
  return print(arguments.json() ? report::numbers_json(numbers, worth, page)
               : page           ? report::numbers_page(numbers, worth)
                                : report::numbers_text(numbers, worth, program.style));
}

/// Training's rows instead of serving's.
Result<int> run_training(const Arguments& arguments, const Program& program) {
  for (const char* other : {"max_error", "coverage", "simulate", "svg", "page"}) {
    if (arguments.has(other)) return fail({other, "has no meaning for training", "leave out one of the two"});
  }
  if (const std::string what = arguments.text("leave_one_out"); what == "kernels" || what == "anchor")
    return fail({"leave_one_out", what + " has no meaning for training", "chip, model or all"});
  const auto by = leave_outs(arguments);
  if (!by) return fail(by.error());
  const auto evidence = training_evidence(arguments, program);
  if (!evidence) return fail(evidence.error());
  const TrainingCases& cases = evidence->cases;
  report::TrainingValidationReport report;
  report.evidence = arguments.text("evidence", "the built-in evidence");
  report.rows = static_cast<double>(evidence->rows.size());
  for (const TrainingCase& one : cases.cases) report.judged += one.row.half == "judge" ? 1 : 0;
  report.left_out = cases.left_out;
  report.validation = validate_training(cases, program.library);
  for (const LeaveOut one : *by) {
    if (one == LeaveOut::chip_and_kernels) continue;
    say(fmt::format("ridge: fitting without each {} in turn\n", one == LeaveOut::model ? "model" : "chip"));
    const auto lines = leave_out_training(cases, program.library, one == LeaveOut::chip);
    if (!lines) return fail(lines.error());
    report.without.insert(report.without.end(), lines->begin(), lines->end());
  }
  return print(arguments.json() ? report::training_validation_json(report)
                                : report::training_validation_text(report, program.style));
}

Result<int> run_validate(const Arguments& arguments, Program& program) {
  if (arguments.has("train")) return run_training(arguments, program);
  if (arguments.has("numbers")) return run_numbers(arguments, program);
  OptionReader reader(arguments);
  const double most_error = reader.number("max_error", 0, {.most = 10});
  const double confidence = reader.number("confidence", kPlanConfidence, {.least = 0.5, .most = 0.999});
  const auto by = reader.take(leave_outs(arguments));
  if (!reader.errors().empty()) return fail(reader.errors());
  if (const auto named = svg_named(arguments.text("svg")); !named) return named;  // before minutes of fitting
  const auto evidence = evidence_of(arguments, program.library);
  if (!evidence) return fail(evidence.error());
  report::ValidationReport report;
  report.built_in = !arguments.has("evidence");
  report.evidence = arguments.text("evidence", "the built-in evidence");
  report.validation = validate(*evidence, program.library);
  auto by_halves = judge_by_halves(*evidence, program.library);
  if (!by_halves) return fail(by_halves.error());
  for (ValidationLine& line : by_halves->lines) report.validation.lines.push_back(std::move(line));
  for (JudgedPoint& point : by_halves->prompts) report.validation.points.prefill.push_back(std::move(point));
  report.causes = evidence->causes;
  const std::string leaving = arguments.text("leave_one_out");
  if (leaving == "kernels" || leaving == "all") {
    say("ridge: fitting kernels to one half of their rows, then to the other\n");
    auto kernels = judge_kernels_by_halves(*evidence, program.library, all_threads());
    if (!kernels) return fail(kernels.error());
    for (ValidationLine& line : *kernels) report.validation.lines.push_back(std::move(line));
  }
  for (const LeaveOut one : *by) {
    say(fmt::format("ridge: fitting without each {} in turn\n", one == LeaveOut::model ? "model" : "chip"));
    auto left = leave_one_out(*evidence, program.library, one, all_threads());
    if (!left) return fail(left.error());
    report.left_out.push_back(std::move(*left));
  }
  if (arguments.text("leave_one_out") == "anchor") {
    say("ridge: fitting without each chip in turn, then giving back one of its runs\n");
    auto trials = anchor_trials(*evidence, program.library);
    if (!trials) return fail(trials.error());
    report.left_out.push_back(std::move(*trials));
  }
  if (arguments.has("simulate")) {
    say("ridge: simulating measured runs, request by request\n");
    auto runs = simulate_runs(*evidence, program.library), sent = simulate_sent(*evidence, program.library);
    runs.insert(runs.end(), std::make_move_iterator(sent.begin()), std::make_move_iterator(sent.end()));
    for (ValidationLine& line : simulated_errors(runs)) report.validation.lines.push_back(std::move(line));
    report.simulated_noise = simulated_noise(runs);
    report.simulated = std::move(runs);
  }
  if (arguments.has("coverage") || arguments.has("decisions")) {
    say("ridge: fitting without each model, chip, engine, layout, load and part of the runs in turn\n");
    const auto runs = left_out_runs(*evidence, program.library, all_threads());
    if (!runs) return fail(runs.error());
    if (arguments.has("coverage")) report.coverage = coverage_of(runs->seen_otherwise, spread_prior(program.library));
    const auto judged = [&](DecisionRows rows) {
      return decisions_of(*evidence, program.library, *runs, confidence, rows);
    };
    if (arguments.has("decisions")) report.decisions = judged(DecisionRows::all);
    if (arguments.has("decisions") && !runs->never_seen.empty())
      report.seen_decisions = judged(DecisionRows::seen_otherwise);
  }
  if (arguments.has("svg")) {
    const std::string path = arguments.text("svg");
    report.charts = std::filesystem::path(chart_stem(path)).filename().string();
    const auto drawn = write_charts(path, report);
    if (!drawn || *drawn != kAnswered) return drawn;
  }
  const bool page = arguments.has("page");
  const int code = print(arguments.json() ? report::validation_json(report, page)
                         : page           ? report::validation_page(report)
                                          : report::validation_text(report, program.style));
  if (code != kAnswered) return code;
  const int accurate = most_error > 0 ? judged(report, most_error) : kAnswered;
  return report.coverage && !covered(*report.coverage) ? kGateFailed : accurate;
}

}  // namespace

Command validate_command() {
  return {
      .name = "validate",
      .purpose = Purpose::data,
      .place = 3,
      .summary = "predictions against measured kernels and runs",
      .groups =
          {{kUsual,
            {{"--max-error", "max_error", "SHARE",
              "exit with 5 where a mean error of TPOT or throughput, or of all that was left out together, "
              "is above this share",
              "", Reads::command, false, false, 0, 10},
             {"--leave-one-out", "leave_one_out", "WHAT",
              "fit again without each model, or each chip, and judge what was left out: model, chip or all; kernels "
              "fits kernels to one half of their rows and judges the other; anchor "
              "gives back one run of the chip, as ridge calibrate --anchor would"},
             {"--coverage", "coverage", "",
              "fit again without each model, chip, engine, layout, load and part of the runs, and count how many of "
              "those left out lie in the intervals that others' errors give; exit with 5 where too few or too many "
              "do"},
             {"--decisions", "decisions", "",
              "fit again as for --coverage, and judge choices: of the measured configurations of a model, chip, engine "
              "and lengths the one that a plan would take for a TPOT of 10 to 100 ms, beside simpler predictions"},
             {"--confidence", "confidence", "SHARE", "of --decisions: the margin with which a target is to hold", "90%",
              Reads::command, false, false, 0.5, 0.999},
             {"--simulate", "simulate", "",
              "simulate the runs that say how their requests were sent, and judge percentiles of TTFT, TPOT, ITL and "
              "E2E latency"},
             {"--train", "train", "", "instead, training steps and memory; with --leave-one-out chip, model or all"},
             {"--numbers", "numbers", "",
              "instead, the fitted numbers of chips, kernels and engines with their spreads, and what each bought"},
             kEvidence}},
           output_options(
               {kSvg.saying("write three charts of predicted against measured: NAME-tpot.svg, NAME-prefill.svg and "
                            "NAME-kernels.svg for NAME.svg"),
                {"--page", "page", "",
                 "as the Markdown page docs/validation.md (with --numbers docs/numbers.md); with --json, in its key "
                 "\"page\""}}),
           rare_options()},
      .examples = {"ridge validate", "ridge validate --max-error 0.15", "ridge validate --leave-one-out model",
                   "ridge validate --coverage", "ridge validate --decisions", "ridge validate --svg validation.svg",
                   "ridge validate --numbers", "ridge validate --train", "ridge validate --json"},
      .run = run_validate};
}

}  // namespace ridge::cli
