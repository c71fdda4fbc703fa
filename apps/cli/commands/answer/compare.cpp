// ridge compare: benchmark results against the whole answer, and what to change.

#include "cli/options/flags.hpp"
#include "cli/question/anchors.hpp"
#include "report/calibrate/compare_text.hpp"

namespace ridge::cli {

namespace {

Result<int> run_compare(const Arguments& arguments, Program& program) {
  auto given = anchor_given(arguments, program);
  if (!given) return fail(given.error());
  if (const auto named = svg_named(arguments.text("svg")); !named) return named;
  report::CompareReport report;
  if (arguments.has("from")) {
    auto said = add_engine_command(*given, arguments, program);
    if (!said) return fail(said.error());
    report.notes = std::move(said->notes);
    for (const std::string& flag : said->unread) report.notes.push_back("not understood, and ignored: " + flag);
    in_flags(report.notes, *arguments.command);
  }
  ReadResults read = read_result_files(arguments.all("file"));
  if (read.results.empty()) return fail(read.refused);
  for (BenchmarkResult& one : read.results) {
    ComparedRun run = compared(std::move(one), *given, program.library);
    in_flags(run.notes, *arguments.command);
    in_flags(run.result.faults, *arguments.command);
    run.unpredicted = in_flags(run.unpredicted, *arguments.command);
    for (ComparedChange& change : run.changes) change.what = in_flags(change.what, *arguments.command);
    report.runs.push_back(std::move(run));
  }
  report.trend = trend_of(report.runs);
  report.refused = in_flags(read.refused, *arguments.command);
  if (arguments.has("svg")) {
    const std::string chart = report::compare_svg(report);
    if (chart.empty())
      return fail({"svg", "nothing could be predicted, so there is nothing to draw", "see without it"});
    const auto wrote = write_svg(arguments.text("svg"), chart);
    if (!wrote || *wrote != kAnswered) return wrote;
  }
  const int code = print(arguments.json() ? report::compare_json(report) : report::compare_text(report, program.style));
  if (code != kAnswered || report.refused.empty()) return code;
  say_errors(report.refused);  // after what the others say
  return kBadInput;
}

}  // namespace

Command compare_command() {
  std::vector<OptionGroup> groups = {
      {kUsual,
       {{"FILE", "file", "FILE", "result file of a benchmark, or - for standard input", "", Reads::command, true, true},
        kFrom}}};
  for (OptionGroup& group : anchor_options()) groups.push_back(std::move(group));
  groups.push_back(output_options({kSvg.saying("write a chart of predicted against measured TPOT and TTFT")}));
  groups.push_back(rare_options({kAssume}));
  return {
      .name = "compare",
      .purpose = Purpose::answer,
      .place = 4,
      .summary = "your benchmark against the prediction, part by part",
      .groups = std::move(groups),
      .examples = {"ridge compare examples/09-your-results/sweep.jsonl --on mi300x --tp 1",
                   "ridge compare examples/09-your-results/sweep.jsonl --on mi300x --from 'vllm serve "
                   "meta-llama/Llama-3.1-8B-Instruct -tp 1'",
                   "ridge compare examples/09-your-results/sweep.jsonl --on mi300x --tp 1 --json"},
      .notes =
          "Reads the files of ridge results (docs/results.md). What a file does not say is given by the options, or by "
          "the command that its engine was started with. error: predicted / measured - 1. Odd runs (failed "
          "requests, hits in the prefix cache, queues that grew) are named and take no part in the trend. Exit "
          "code 3 when a file was refused.",
      .run = run_compare};
}

}  // namespace ridge::cli
