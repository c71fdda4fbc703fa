// ridge results: what benchmark files say, and the prediction beside it.

#include "cli/options/flags.hpp"
#include "cli/question/anchors.hpp"
#include "report/calibrate/results_text.hpp"

namespace ridge::cli {

namespace {

Result<int> run_results(const Arguments& arguments, Program& program) {
  const auto given = anchor_given(arguments, program);
  if (!given) return fail(given.error());
  ReadResults read = read_result_files(arguments.all("file"));
  if (read.results.empty()) return fail(read.refused);
  report::ResultsReport report;
  for (BenchmarkResult& one : read.results) {
    HeldResult held = held_against(std::move(one), *given, program.library);
    in_flags(held.notes, *arguments.command);
    in_flags(held.result.faults, *arguments.command);
    held.unpredicted = in_flags(held.unpredicted, *arguments.command);
    report.results.push_back(std::move(held));
  }
  report.refused = in_flags(read.refused, *arguments.command);
  const int code = print(arguments.json() ? report::results_json(report) : report::results_text(report, program.style));
  if (code != kAnswered || report.refused.empty()) return code;
  say_errors(report.refused);  // after what the others say
  return kBadInput;
}

}  // namespace

Command results_command() {
  std::vector<OptionGroup> groups = {{kUsual,
                                      {{"FILE", "file", "FILE", "result file of a benchmark, or - for standard input",
                                        "", Reads::command, true, true}}}};
  for (OptionGroup& group : anchor_options()) groups.push_back(std::move(group));
  groups.push_back(output_options());
  groups.push_back(rare_options({kAssume}));
  return {.name = "results",
          .purpose = Purpose::data,
          .place = 2,
          .summary = "what benchmark files say, and the prediction beside it",
          .groups = std::move(groups),
          .examples = {"ridge results examples/09-your-results/sweep.jsonl",
                       "ridge results examples/09-your-results/sweep.jsonl --on mi300x --tp 1",
                       "ridge results examples/09-your-results/sweep.jsonl --json"},
          .notes =
              "Reads vllm bench, SGLang's benchmarks, GuideLLM, AIPerf, GenAI-Perf, InferenceX, llama-bench, "
              "llama-batched-bench, inference-perf, trtllm-bench, MLPerf summaries and engines' start-up logs "
              "(docs/results.md), told apart by what stands in them. A prediction stands beside a result whose "
              "model, machine and layout are known. Exit code 3 when a file was refused.",
          .run = run_results};
}

}  // namespace ridge::cli
