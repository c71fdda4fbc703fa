// ridge context: what a token costs as the context grows, models side by side, and what a very long session takes.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "cli/question/defaults.hpp"
#include "report/price/tier/long_context_text.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kDefaultModels = "llama-3.1-70b,deepseek-v3,gpt-oss-120b,deepseek-v3.2,qwen3-next-80b-a3b";
constexpr double kLongest = 1e12;

Result<LongContextQuestion> context_question(const Arguments& arguments, Program& program) {
  LongContextQuestion question;
  OptionReader reader(arguments);
  const Within context{.least = 1, .most = kLongest};
  reader.read_into<Tokens<double>>(question.from, "min", context);
  reader.read_into<Tokens<double>>(question.to, "max", context);
  reader.read_into<Tokens<double>>(question.session, "session", context);
  const Arguments on_machine = with_default_machine(arguments);
  for (const std::string& model : split(arguments.text("models", kDefaultModels), ',')) {
    if (const auto scenario = reader.take(scenario_of(program, on_machine, std::string(trimmed(model)))))
      question.scenarios.push_back(*scenario);
  }
  if (!reader.errors().empty()) return fail(reader.errors());
  return question;
}

Result<int> run_context(const Arguments& arguments, Program& program) {
  const auto question = context_question(arguments, program);
  if (!question) return fail(question.error());
  auto answer = answer_long_context(*question, program.library);
  if (!answer) return fail(answer.error());
  std::vector<std::string> taken;
  if (!arguments.has("models")) taken.emplace_back(kDefaultModels);
  if (!arguments.has("machine")) taken.push_back(std::string("--on ") + kDefaultMachine);
  note_defaults(answer->notes, taken);
  in_flags(answer->notes, *arguments.command);
  return print_with_svg(arguments,
                        with_assumptions(arguments.json() ? report::long_context_json(*answer)
                                                          : report::long_context_text(*answer, program.style),
                                         arguments, program),
                        [&] { return report::to_svg(report::long_context_chart(*answer)); });
}

}  // namespace

Command context_command() {
  return {.name = "context",
          .purpose = Purpose::answer,
          .place = 6,
          .summary = "what a token costs as the context grows, models side by side",
          .groups = {{kUsual,
                      {{"MODELS", "models", "MODELS", "models with commas between them",
                        "one each of full, latent, windowed, sparse and linear attention"},
                       kMachine.otherwise("gb200-nvl72"),
                       kChips,
                       {"--min", "min", "TOKENS", "first context", "1k"},
                       {"--max", "max", "TOKENS", "last context", "100M"},
                       {"--session", "session", "TOKENS", "context of one very long session", "100M"}}},
                     {"Formats and price", {kWeights, kKv, kPrice, kPriceBasis, kUtilization}},
                     output_options({kSvg.saying("draw cost against context as SVG")}),
                     rare_options({kSet, kAssume})},
          .examples = {"ridge context", "ridge context llama-3.1-70b,deepseek-v3.2 --on hgx-h200 --svg context.svg",
                       "ridge context deepseek-v3,qwen3-next-80b-a3b --kv fp8 --session 10M --json"},
          .notes = "One model in detail: ridge curve context MODEL --on MACHINE --max 100M.",
          .run = run_context};
}

}  // namespace ridge::cli
