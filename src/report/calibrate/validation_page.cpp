// docs/validation.md: one page for somebody who does not believe a word. Every group is on the screen of
// `ridge validate --leave-one-out all --coverage`; here are those that decide.

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "calibrate/judge/kernel_halves.hpp"
#include "report/calibrate/decisions_text.hpp"
#include "report/calibrate/validation_text.hpp"

namespace ridge::report {

namespace {

std::string capital(std::string text) {
  if (!text.empty() && !text.starts_with("llama.cpp"))
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// A paragraph in lines of at most 110 characters.
std::string paragraph(const std::string& text) { return wrapped(text, 110, 0) + "\n"; }

std::string chart_line(const ValidationReport& report, const char* which, const char* words) {
  if (report.charts.empty()) return {};
  return fmt::format("\n![{}]({}-{}.svg)\n", words, report.charts, which);
}

bool is_wanted(const ValidationLine& line) { return !line.name.starts_with("engines seen"); }

/// A group's lines, and what they are called here.
struct GroupRows {
  std::string_view group, title;
};

/// The lines of some groups in one table.
std::string table_of(const std::vector<ValidationLine>& lines, std::initializer_list<GroupRows> groups) {
  std::string rows;
  for (const GroupRows& one : groups) {
    for (const ValidationLine& line : lines) {
      if (line.group != one.group || !is_wanted(line)) continue;
      rows += fmt::format("| {}: {} | {} | {:+.1f} % | {:.1f} % | {:.1f} % |\n", one.title, trimmed(line.name),
                          line.errors.rows, 100 * line.errors.bias, 100 * line.errors.mean, 100 * line.errors.p90);
    }
  }
  return rows.empty() ? "" : "\n| | n | bias | mean error | 90 % stay below |\n|---|---|---|---|---|\n" + rows;
}

std::vector<ValidationLine> left_lines(const ValidationReport& report) {
  std::vector<ValidationLine> out;
  for (const LeftOut& left : report.left_out) out.insert(out.end(), left.lines.begin(), left.lines.end());
  return out;
}

std::string coverage_row(const std::string& name, const CoverageLine& line) {
  return fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.3f} | {:.2f} |\n", name, line.runs,
                     100 * line.inside[0], 100 * line.inside[1], 100 * line.inside[2], line.error,
                     line.width / line.error);
}

/// Groups of which too few runs lie in their 80 % interval, the worst first.
std::string uncovered(const Coverage& coverage) {
  constexpr std::size_t kEnough = 20;
  std::vector<const CoverageLine*> worst;
  for (const CoverageLine& line : coverage.lines) {
    const bool named = line.group != "rows" && line.group != "combination";  // parts of a hash
    if (named && line.runs >= kEnough && line.inside[1] < kCoverageGate.least[1]) worst.push_back(&line);
  }
  std::sort(worst.begin(), worst.end(), [](const auto* a, const auto* b) { return a->inside[1] < b->inside[1]; });
  if (worst.empty()) return "\nNo group of 20 runs and more has fewer than 73 % of them in their 80 % interval.\n";
  std::string out =
      "\n" +
      paragraph(
          "Groups of 20 runs and more of which fewer than 73 % lie in their 80 % interval: an answer like them is "
          "less sure than it says.") +
      "\n| figure | left out: which | n | in 80 % | error |\n|---|---|---|---|---|\n";
  constexpr std::size_t kShown = 15;
  for (std::size_t i = 0; i < std::min(kShown, worst.size()); ++i) {
    const CoverageLine* line = worst[i];
    out += fmt::format("| {} | {}: {} | {} | {:.1f} % | {:.3f} |\n", figure_title(line->figure), line->group,
                       line->name, line->runs, 100 * line->inside[1], line->error);
  }
  if (worst.size() > kShown)
    out += fmt::format("\nAnd {} more, of which {:.1f} % and more do; the command above prints all.\n",
                       worst.size() - kShown, 100 * worst[kShown]->inside[1]);
  return out;
}

std::string coverage_section(const Coverage& coverage) {
  constexpr const char* kHeader =
      "| n | in 50 % | in 80 % | in 95 % | error | width |\n|---|---|---|---|---|---|---|\n";
  std::string out =
      "\n## Whether the intervals hold\n\n" +
      paragraph(
          "Every run was left out of a fit in eight ways: with its model, its chip's runs, its chip's "
          "runs and kernels, its engine, its kind of layout, its end of the loads, all runs of its model, "
          "chip and engine together, and with a quarter of the runs by a hash. Counted is how many lie in "
          "an interval made from the errors of runs that were not left out with them "
          "([errors.md](theory/errors.md)). Error: mean size of ln(measured / predicted). Width: mean "
          "ln(high / low) of the 80 % interval, over the error. The gate, for all runs of a figure: 45 to "
          "57 %, 73 to 87 %, 90 to 98 %, and a width of at most 3.5.");
  out += std::string("\n| figure, all runs ") + kHeader;
  for (const CoverageLine& line : coverage.lines) {
    if (line.group == "all") out += coverage_row(figure_title(line.figure), line);
  }
  out += std::string("\n| TPOT, left out with its ") + kHeader;
  for (const CoverageLine& line : coverage.lines) {
    if (line.group == "left out" && line.figure == SpreadFigure::tpot) out += coverage_row(line.name, line);
  }
  out += uncovered(coverage);
  for (const std::string& failure : coverage.failures) out += "\nThe gate fails: " + failure + ".\n";
  return out;
}

std::string noise_section(const std::vector<NoiseLine>& noise) {
  if (noise.empty()) return {};
  std::string out =
      "\n## The floor: noise between repeated runs\n\n" +
      paragraph(
          "Some configurations were measured several times, with the same version of the engine in the same month. The "
          "distance of a run from the mean of its configuration (its size, as a share, freed from the run's own part "
          "in "
          "that mean) is what the best prediction would still be off by.") +
      "\n| | runs | configurations | median | mean | 90 % stay below |\n|---|---|---|---|---|---|\n";
  for (const NoiseLine& line : noise) {
    out += fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n",
                       line.name == "all" ? fmt::format("**{}**", line.figure) : line.figure + ", " + line.name,
                       line.runs, line.configurations, 100 * line.median, 100 * line.mean, 100 * line.p90);
  }
  return out;
}

std::string failures_section(const ValidationReport& report) {
  const std::vector<ValidationFailure> failures = failures_of(report);
  std::string out =
      "\n## Where it fails\n\n" +
      paragraph(fmt::format("Every line that `ridge validate` prints, and the worst part of every line (one of at "
                            "least five rows, where it "
                            "has parts), that is off by more than {:.0f} % on average. The list is made by that rule; "
                            "the causes are what we believe.",
                            100 * kFailureError));
  if (failures.empty()) return out + "\nNone.\n";
  out += "\n| | what | n | mean error | likely cause |\n|---|---|---|---|---|\n";
  for (const ValidationFailure& one : failures) {
    out += fmt::format("| {} | {} | {} | {:.0f} % | {} |\n", one.group, one.name, one.rows, 100 * one.mean,
                       one.cause.empty() ? "not known" : one.cause);
  }
  return out;
}

/// What the errors of kernels on the other half were to be, beside what they are; nothing where they were not judged.
std::string kernel_goals(const std::vector<ValidationLine>& lines) {
  std::string goals;
  for (const ValidationLine& line : lines) {
    const double goal = line.group == kHalvesByLibrary ? kernel_goal(line.name) : 0;
    if (goal == 0) continue;
    goals += fmt::format("{}{} {:.0f} % ({}: {:.1f} %)", goals.empty() ? "" : ", ", line.name, 100 * goal,
                         line.errors.mean <= goal ? "met" : "missed", 100 * line.errors.mean);
  }
  if (goals.empty()) return {};
  return "\n" + paragraph("goals for kernels whose other half was fitted, each library by itself: " + goals +
                          ". Every library's rows are divided by a hash of what they are, without their times; all "
                          "numbers of chips, kernels and programs are fitted to one half and judged on the other, and "
                          "the other way round. The goals are of whole files of measurements. These rows are a sample "
                          "of them, too few for some libraries' own numbers; [serving.md](theory/serving.md) has the "
                          "figures of the whole files, where all goals are met.");
}

std::string what_was_fitted() {
  return "\n## What was fitted, what was left out\n\n" +
         paragraph(fmt::format(
             "The rows are those of `catalog/evidence`: a sample of public measurements, drawn by a hash before "
             "anything was fitted; its README says how, and by which rules a row counts as wrong. Fitted to single "
             "kernels: {} numbers a chip, {} that all chips share, and three or four for each program that timed "
             "kernels (how "
             "it "
             "starts them, no part of an answer). Fitted to serving runs: one ratio for each of those inside a "
             "captured "
             "step, and {} numbers an engine. [numbers.md](numbers.md) has each with its unit, value, spread and what "
             "it "
             "bought. No number belongs to a model.",
             field_names<ChipCalibration<double>>().size(), field_names<KernelCalibration<double>>().size(),
             field_names<EngineCalibration<double>>().size() + 2)) +
         "\n" +
         paragraph(
             "Tables that say in-sample are of those same rows. What counts for a new model or chip are the tables of "
             "what was left out: the fit was done again without it, and borrows as an answer would. Where a chip's "
             "kernels are left out with its runs, the numbers that all chips share had still seen them; MI355X has "
             "none "
             "to leave out. Wide expert parallelism was never fitted; where such a run does not say its concurrency, "
             "it "
             "is taken from its measured rate and speed. Where prefill is disaggregated, the decode batch is taken "
             "from "
             "the run's own times (Little's law), and TTFT is not judged. Rows that are neither in the sample nor "
             "anywhere here are judged by `tests/validation/evidence_test.py`. Every group, also by engine, load and "
             "layout: `ridge validate --leave-one-out all --coverage`.");
}

}  // namespace

std::string validation_page(const ValidationReport& report) {
  const std::vector<ValidationLine>& lines = report.validation.lines;
  const std::vector<ValidationLine> left = left_lines(report);
  const std::string_view seen = report.built_in ? "in-sample" : "all";
  std::string out = "# How good the predictions are\n\n";
  for (const std::string& sentence : validation_headline(report))
    out += wrapped("- " + capital(sentence) + ".", 110, 2) + "\n";
  out += "\n" + paragraph(fmt::format(
                    "Written by `ridge validate --leave-one-out all --coverage{} --page{}`; do not edit. Error is "
                    "predicted / measured - 1; bias its mean, mean error the mean of its size.",
                    report.decisions ? " --decisions" : "",
                    report.charts.empty() ? "" : " --svg docs/" + report.charts + ".svg"));
  out += what_was_fitted();
  out += "\n## TPOT\n" + chart_line(report, "tpot", "Predicted against measured TPOT");
  out += table_of(left, {{"leaving out one model", "without its model"},
                         {"leaving out one chip's runs and kernels", "without its chip"}});
  out += table_of(lines, {{kTpotGroup, seen},
                          {"TPOT, disaggregated", report.built_in ? "disaggregated, in-sample" : "disaggregated"},
                          {kThroughputGroup, report.built_in ? "throughput, in-sample" : "throughput"},
                          {"wide expert parallelism", "never fitted"}});
  out += "\n## TTFT and prefill\n" + chart_line(report, "prefill", "Predicted against measured TTFT");
  out += table_of(left, {{"TTFT, leaving out one model", "without its model"}});
  out += table_of(lines, {{"TTFT", seen}});
  out += "\n## Single kernels, and programs of their own\n" +
         chart_line(report, "kernels", "Predicted against measured kernels, by class");
  out += table_of(lines, {{"kernels", seen},
                          {kHalvesGroup, "other half fitted"},
                          {kHalvesByLibrary, "other half fitted, each library by itself"},
                          {"llama.cpp, rows not fitted", "llama.cpp, not fitted"}});
  out += kernel_goals(lines);
  if (report.coverage) out += coverage_section(*report.coverage);
  if (report.decisions) out += decisions_section(*report.decisions, report.seen_decisions);
  out += noise_section(report.validation.noise);
  out += failures_section(report);
  out += "\n## Faster than the bound\n\n" + suspects_sentence(report.validation) + ".\n";
  for (const Suspect& one : report.validation.suspects) {
    out += fmt::format("{}- {}: {:.3g} ms against {:.3g} ms: {}\n",
                       &one == &report.validation.suspects.front() ? "\n" : "", one.set, one.measured * 1e3,
                       one.bound * 1e3, one.what);
  }
  std::string reasons;
  for (const auto& [why, count] : report.validation.left_out)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", count, why);
  if (!reasons.empty()) out += "\n## Not judged\n\n" + paragraph("Rows by reason: " + reasons + ".");
  return out;
}

}  // namespace ridge::report
