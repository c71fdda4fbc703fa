// ridge report-bad-prediction: what is needed to find out why a prediction is off, without what is private.

#include "catalog/checkpoint/model_file.hpp"
#include "cli/options/flags.hpp"
#include "cli/question/anchors.hpp"
#include "cli/ridge_line.hpp"
#include "cli/version.hpp"
#include "report/calibrate/bad_prediction.hpp"

namespace ridge::cli {

namespace {

/// The question as a line; a model of one's own is sent without its name or path.
std::string line_of(const ComparedRun& run) {
  if (!run.answer) return "";
  ServingQuestion question = run.answer->question;
  if (catalog::names_model_file(question.scenario.model)) question.scenario.model = "MODEL";
  return ridge_line("why", question);
}

Result<int> run_report_bad_prediction(const Arguments& arguments, Program& program) {
  auto given = anchor_given(arguments, program);
  if (!given) return fail(given.error());
  report::BadPrediction report;
  report.version = version_text();
  if (arguments.has("from")) {
    const auto said = add_engine_command(*given, arguments, program);
    if (!said) return fail(said.error());
    for (const std::string& flag : said->unread) report.unread_flags.push_back(report::flag_word(flag));
  }
  ReadResults read = read_result_files(arguments.all("file"));
  if (read.results.empty()) return fail(read.refused);
  report.refused = read.refused.size();
  for (BenchmarkResult& one : read.results) {
    const ComparedRun run = compared(std::move(one), *given, program.library);
    report.runs.push_back(report::reported(run, line_of(run)));
    if (run.answer && catalog::names_model_file(run.answer->question.scenario.model)) report.runs.back().model = "";
  }
  const std::string out = arguments.json() ? report::bad_prediction_json(report) : report::bad_prediction_text(report);
  if (arguments.has("out")) return write(arguments.text("out"), out);
  return print(out);
}

}  // namespace

Command report_bad_prediction_command() {
  std::vector<OptionGroup> groups = {
      {kUsual,
       {{"FILE", "file", "FILE", "result file of a benchmark, or - for standard input", "", Reads::command, true, true},
        kFrom,
        kOut}}};
  for (OptionGroup& group : anchor_options()) groups.push_back(std::move(group));
  groups.push_back(output_options());
  groups.push_back(rare_options({kAssume}));
  return {.name = "report-bad-prediction",
          .purpose = Purpose::data,
          .place = 4,
          .summary = "a benchmark for an issue, nothing private",
          .groups = std::move(groups),
          .examples = {"ridge report-bad-prediction examples/09-your-results/sweep.jsonl --on mi300x --tp 1",
                       "ridge report-bad-prediction examples/09-your-results/sweep.jsonl --on mi300x --from 'vllm "
                       "serve meta-llama/Llama-3.1-8B-Instruct -tp 1' --out report.md"},
          .notes =
              "Markdown for the issue \"a prediction is off\": figures, the catalog's names, and the line that asks "
              "again. Nothing else of the files is kept. --json has the same.",
          .run = run_report_bad_prediction};
}

}  // namespace ridge::cli
