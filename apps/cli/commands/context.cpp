// ridge context: what a token costs as the context grows, models side by side, and what a very long session takes.

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/defaults.hpp"
#include "cli/program.hpp"
#include "report/price/tier/long_context_text.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kDefaultModels = "llama-3.1-70b,deepseek-v3,gpt-oss-120b,deepseek-v3.2,qwen3-next-80b-a3b";
constexpr double kLongest = 1e12;

Result<LongContextQuestion> question_of(const Options& options, Program& program) {
  LongContextQuestion question;
  Errors errors;
  for (const auto& [key, text] : options.serving) {
    const std::string flag = "--" + key;
    const auto tokens = parse<Tokens<double>>(text, flag);
    if (!tokens) {
      append(errors, tokens.error());
    } else if (!(tokens->value() >= 1 && tokens->value() <= kLongest)) {
      errors.push_back({flag, fmt::format("\"{}\" is not a context", shortened(text)), "from 1 to 10^12 tokens"});
    } else {
      (key == "from" ? question.from : key == "to" ? question.to : question.session) = *tokens;
    }
  }
  Options words = options;
  // first: a machine that comes later would take back what was said of it
  if (!was_given(options.settings, "machine"))
    words.settings.insert(words.settings.begin(), {"machine", kDefaultMachine});
  for (const std::string& model : split(options.subject.empty() ? kDefaultModels : options.subject, ',')) {
    const auto scenario = scenario_of(program, words, std::string(trimmed(model)));
    if (scenario) question.scenarios.push_back(*scenario);
    if (!scenario) append(errors, scenario.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return question;
}

}  // namespace

int run_context(const Options& options, Program& program) {
  const auto question = question_of(options, program);
  if (!question) return report_errors(question.error(), options);
  auto answer = answer_long_context(*question, program.library);
  if (!answer) return report_errors(answer.error(), options);
  std::vector<std::string> taken;
  if (options.subject.empty()) taken.emplace_back(kDefaultModels);
  if (!was_given(options.settings, "machine")) taken.push_back(std::string("--on ") + kDefaultMachine);
  note_defaults(answer->notes, taken);
  if (!options.svg_file.empty()) {
    const int code = write_svg(options.svg_file, report::to_svg(report::long_context_chart(*answer)), options);
    if (code != kAnswered) return code;
  }
  return print(options.json ? report::long_context_json(*answer) : report::long_context_text(*answer, program.style));
}

}  // namespace ridge::cli
